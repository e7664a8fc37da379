package recipes

import (
	"net/http"
	"slices"
	"testing"

	"github.com/gin-gonic/gin"
	"github.com/go-chi/chi/v5"
	"github.com/gorilla/mux"
	"github.com/labstack/echo/v4"
)

func TestRoutersNameTheirPaths(t *testing.T) {
	m, c, g, e := mux.NewRouter(), chi.NewRouter(), gin.New(), echo.New()
	for _, path := range []string{"/", "/landing"} {
		m.Handle(path, page(home))
		c.Get(path, page(home))
		g.GET(path, gin.WrapF(page(home)))
		e.GET(path, func(c echo.Context) error { return c.HTML(http.StatusOK, home) })
	}
	m.Handle("/save", page(home)).Methods(http.MethodPost)
	m.Handle("/news", page(home)).Methods(http.MethodGet, http.MethodHead)
	c.Get("/news", page(home))
	c.Post("/save", page(home))
	g.GET("/news", gin.WrapF(page(home)))
	g.POST("/save", gin.WrapF(page(home)))
	e.GET("/news", func(c echo.Context) error { return c.HTML(http.StatusOK, home) })
	e.POST("/save", func(c echo.Context) error { return c.HTML(http.StatusOK, home) })
	for name, got := range map[string][]string{"mux": PathsOfGorilla(m), "chi": PathsOfChi(c), "gin": PathsOfGin(g),
		"echo": PathsOfEcho(e)} {
		if slices.Sort(got); !slices.Equal(got, []string{"/", "/landing", "/news"}) {
			t.Errorf("%s has %q", name, got)
		}
	}
}
