package recipes

import (
	"net/http"

	"github.com/gin-gonic/gin"
	"github.com/go-chi/chi/v5"
	"github.com/gorilla/mux"
	"github.com/julienschmidt/httprouter"
	"github.com/labstack/echo/v4"

	"github.com/servemap/servemap"
)

// ServeMux is the standard library's router. Wrap sees its routes.
func ServeMux(site *servemap.Site) http.Handler { return site.Wrap(shop()) }

// Gorilla is gorilla/mux. Mount comes after the routes and the NotFoundHandler, and before the Use of a log-in.
func Gorilla(site *servemap.Site) http.Handler {
	r := mux.NewRouter()
	r.Handle("/", page(home))
	r.Handle("/about", page(about))
	r.HandleFunc("/p/{name}", func(w http.ResponseWriter, r *http.Request) { page(product(mux.Vars(r)["name"]))(w, r) })
	site.Mount(r)
	return r
}

// Chi is chi. Use comes before the routes, on the root router: a subrouter's middleware
// does not see requests for the sitemap.
func Chi(site *servemap.Site) http.Handler {
	r := chi.NewRouter()
	r.Use(site.Wrap)
	r.Get("/", page(home))
	r.Get("/about", page(about))
	r.Get("/p/{name}", func(w http.ResponseWriter, r *http.Request) { page(product(chi.URLParam(r, "name")))(w, r) })
	return r
}

// Gin is gin. The first middleware writes the route into the request, and the site goes
// around the engine.
func Gin(site *servemap.Site) http.Handler {
	engine := gin.New()
	engine.Use(func(c *gin.Context) { c.Request.Pattern = c.FullPath() }) // before all other middleware
	engine.GET("/", gin.WrapF(page(home)))
	engine.GET("/about", gin.WrapF(page(about)))
	engine.GET("/p/:name", func(c *gin.Context) { page(product(c.Param("name")))(c.Writer, c.Request) })
	return site.Wrap(engine)
}

// Echo is echo. The first middleware writes the route into the request, and the site goes
// around the router.
func Echo(site *servemap.Site) http.Handler {
	e := echo.New()
	e.Use(func(next echo.HandlerFunc) echo.HandlerFunc { // before all other middleware
		return func(c echo.Context) error {
			c.Request().Pattern = c.Path()
			return next(c)
		}
	})
	e.GET("/", func(c echo.Context) error { return c.HTML(http.StatusOK, home) })
	e.GET("/about", func(c echo.Context) error { return c.HTML(http.StatusOK, about) })
	e.GET("/p/:name", func(c echo.Context) error { return c.HTML(http.StatusOK, product(c.Param("name"))) })
	return site.Wrap(e)
}

// Httprouter is httprouter, which shows no routes. Pages are listed by their links. For a
// page that nothing links to, write a servemap.Rule, or name it in Options.Entries.
func Httprouter(site *servemap.Site) http.Handler {
	r := httprouter.New()
	r.Handler(http.MethodGet, "/", page(home))
	r.Handler(http.MethodGet, "/about", page(about))
	r.GET("/p/:name", func(w http.ResponseWriter, r *http.Request, ps httprouter.Params) {
		page(product(ps.ByName("name")))(w, r)
	})
	return site.Wrap(r)
}
