package recipes

import (
	"net/http"
	"slices"

	"github.com/gin-gonic/gin"
	"github.com/go-chi/chi/v5"
	"github.com/gorilla/mux"
	"github.com/labstack/echo/v4"
)

// Each of these returns the paths that a router knows, for ExploreOptions.Paths. So pages are listed
// although nothing links to them. Explore leaves out paths with a variable.

// PathsOfGorilla are those of gorilla/mux.
func PathsOfGorilla(r *mux.Router) (paths []string) {
	_ = r.Walk(func(route *mux.Route, _ *mux.Router, _ []*mux.Route) error {
		path, none := route.GetPathTemplate()
		methods, any := route.GetMethods() // fails if there are none, and all are served
		if none == nil && (any != nil || slices.Contains(methods, http.MethodGet)) {
			paths = append(paths, path)
		}
		return nil
	})
	return paths
}

// PathsOfChi are those of chi.
func PathsOfChi(r chi.Routes) (paths []string) {
	_ = chi.Walk(r, func(method, path string, _ http.Handler, _ ...func(http.Handler) http.Handler) error {
		if method == http.MethodGet {
			paths = append(paths, path)
		}
		return nil
	})
	return paths
}

// PathsOfGin are those of gin.
func PathsOfGin(engine *gin.Engine) (paths []string) {
	for _, route := range engine.Routes() {
		if route.Method == http.MethodGet {
			paths = append(paths, route.Path)
		}
	}
	return paths
}

// PathsOfEcho are those of echo.
func PathsOfEcho(e *echo.Echo) (paths []string) {
	for _, route := range e.Routes() {
		if route.Method == http.MethodGet {
			paths = append(paths, route.Path)
		}
	}
	return paths
}
