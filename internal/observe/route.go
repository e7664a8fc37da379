package observe

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/gorilla/mux"

	"github.com/servemap/servemap/internal/observe/capture"
)

// matched returns the template of the route that matched r. exact says that the route matches
// nothing else: not everything below a path, and only the site's host if it names a host.
func (o *Observer) matched(r *http.Request) (template string, exact bool) {
	host, template, exact := route(r)
	if cut := CutOff(r); template != "" && o.inOrigin(cut) && !strings.HasPrefix(template, cut+"/") {
		template = cut + template // the router is inside the handler that cut this off
	}
	return template, exact && (host == "" || o.cfg.Normalizer.Names(host))
}

// route returns the template of the route that matched r, its host ("" for any), and whether it
// matches nothing else on that host.
func route(r *http.Request) (host, template string, exact bool) {
	if current := mux.CurrentRoute(r); current != nil {
		return muxRoute(current)
	}
	return patternRoute(r.Pattern)
}

func muxRoute(r *mux.Route) (host, template string, exact bool) {
	template, err := r.GetPathTemplate()
	if err != nil {
		return "", "", false
	}
	expr, err := r.GetPathRegexp()
	end := err == nil && strings.HasSuffix(expr, "$") && !strings.HasSuffix(expr, `\$`) // an escaped dollar is a character
	host, _ = r.GetHostTemplate()                                                       // fails if there is none
	return host, template, end && !strings.Contains(template, "{")
}

// patternRoute reads a pattern of [http.ServeMux]: "[METHOD ][HOST]/PATH". A final slash means
// everything below, and a final "{$}" only that slash. chi puts its own patterns into the request,
// and gin and echo can be made to. Their variables begin with a colon, and their star means
// everything below.
func patternRoute(pattern string) (host, template string, exact bool) {
	if i := strings.IndexAny(pattern, " \t"); i >= 0 {
		pattern = strings.TrimLeft(pattern[i:], " \t")
	}
	i := strings.IndexByte(pattern, '/')
	if i < 0 {
		return "", "", false
	}
	host, template = pattern[:i], braced(pattern[i:])
	if path, ok := strings.CutSuffix(template, "/{$}"); ok {
		return host, path + "/", !strings.Contains(path, "{")
	}
	return host, template, !strings.HasSuffix(template, "/") && !strings.ContainsAny(template, "{:*")
}

// braced rewrites the variables of a template as ServeMux spells them.
func braced(template string) string {
	if !strings.ContainsAny(template, ":*") {
		return template
	}
	segments := strings.Split(template, "/")
	for i, s := range segments {
		if name, ok := strings.CutPrefix(s, ":"); ok {
			segments[i] = "{" + name + "}"
		} else if name, ok := strings.CutPrefix(s, "*"); ok {
			segments[i] = "{" + name + "...}"
		}
	}
	return strings.Join(segments, "/")
}

// route returns the template of the page's route as a location, and whether it matches exactly loc.
func (o *Observer) route(r *http.Request, seen *capture.Capture, loc string) (template string, exact bool) {
	template, exact = seen.Route, seen.Exact
	if template == "" {
		template, exact = o.matched(r)
	}
	if template == "" {
		return "", false
	}
	o.routed.Store(true)
	template = o.cfg.StrippedPrefix + template
	path, err := url.PathUnescape(loc)
	return template, exact && err == nil && path == template
}
