package observe

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/gorilla/mux"

	"github.com/servemap/servemap/internal/tap"
)

// route returns the template of the route that matched r, and whether the route
// matches nothing but the template: a path, and not all paths below one.
func route(r *http.Request) (template string, exact bool) {
	if current := mux.CurrentRoute(r); current != nil {
		return muxRoute(current)
	}
	return patternRoute(r.Pattern)
}

func muxRoute(r *mux.Route) (template string, exact bool) {
	template, err := r.GetPathTemplate()
	if err != nil {
		return "", false
	}
	expr, err := r.GetPathRegexp()
	end := err == nil && strings.HasSuffix(expr, "$") && !strings.HasSuffix(expr, `\$`) // that is a character
	return template, end && !strings.Contains(template, "{")
}

// patternRoute reads a pattern of [http.ServeMux]: "[METHOD ][HOST]/PATH", where
// a final slash means everything below, and a final "{$}" only that slash.
func patternRoute(pattern string) (template string, exact bool) {
	if i := strings.IndexAny(pattern, " \t"); i >= 0 {
		pattern = strings.TrimLeft(pattern[i:], " \t")
	}
	i := strings.IndexByte(pattern, '/')
	if i < 0 {
		return "", false
	}
	template = pattern[i:]
	if path, ok := strings.CutSuffix(template, "/{$}"); ok {
		return path + "/", !strings.Contains(path, "{")
	}
	return template, !strings.HasSuffix(template, "/") && !strings.Contains(template, "{")
}

// route returns the template of the page's route as a location, and whether it
// is exactly loc.
func (o *Observer) route(r *http.Request, resp *tap.Response, loc string) (template string, exact bool) {
	template, exact = resp.Route, resp.Exact
	if template == "" {
		template, exact = route(r)
	}
	if template == "" {
		return "", false
	}
	template = o.cfg.StrippedPrefix + template
	path, err := url.PathUnescape(loc)
	return template, exact && err == nil && path == template
}
