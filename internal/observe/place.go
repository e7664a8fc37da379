package observe

import (
	"net/http"
	"regexp"
	"strings"

	"github.com/gorilla/mux"

	"github.com/servemap/servemap/internal/index/observation"
	"github.com/servemap/servemap/internal/page/location"
)

// Addresses tells what a request asks for: which page, and by which route.
type Addresses struct {
	Normalizer     *location.Normalizer
	StrippedPrefix string
}

// Locate returns the location of the requested page, or why there is none. A prefix that this program cut off, by
// [http.StripPrefix], is still in the target. One that a proxy cut off is not. A host that only a nearby proxy may send
// instead of the origin's counts only from a nearby peer.
func (a *Addresses) Locate(r *http.Request) (loc location.Result) {
	path, _, _ := strings.Cut(r.RequestURI, "?")
	if a.StrippedPrefix != "" && path == a.StrippedPrefix+r.URL.EscapedPath() {
		loc = a.Normalizer.Public(r.Host, r.RequestURI)
	} else {
		loc = a.Normalizer.Request(r.Host, r.RequestURI)
	}
	if loc.Local && !nearby(r) {
		return location.Result{Reason: location.ReasonHost}
	}
	return loc
}

// matched returns the route that matched r. The route is exact if it matches one path, not everything below it, and
// names no host but the site's.
func (a *Addresses) matched(r *http.Request) observation.Route {
	host, route := routeOf(r)
	route.Exact = route.Exact && (host == "" || a.Normalizer.Names(host))
	return route
}

// routeOf returns the route that matched r, and its host ("" for any). It is exact if it matches nothing else on that
// host.
func routeOf(r *http.Request) (host string, route observation.Route) {
	if current := mux.CurrentRoute(r); current != nil {
		return muxRoute(current)
	}
	return patternRoute(r.Pattern)
}

func muxRoute(r *mux.Route) (host string, route observation.Route) {
	template, err := r.GetPathTemplate()
	if err != nil {
		return "", route
	}
	expr, err := r.GetPathRegexp()
	end := err == nil && strings.HasSuffix(expr, "$") && !strings.HasSuffix(expr, `\$`) // an escaped dollar is a character
	host, _ = r.GetHostTemplate()                                                       // fails if there is none
	return host, observation.Route{Template: template, Exact: end && !strings.Contains(template, "{")}
}

// patternRoute reads a pattern of [http.ServeMux]: "[METHOD ][HOST]/PATH". A final slash means
// everything below, and a final "{$}" only that slash. chi puts its own patterns into the request,
// and gin and echo can be made to. Their variables begin with a colon, and their star means
// everything below.
func patternRoute(pattern string) (host string, route observation.Route) {
	if i := strings.IndexAny(pattern, " \t"); i >= 0 {
		pattern = strings.TrimLeft(pattern[i:], " \t")
	}
	i := strings.IndexByte(pattern, '/')
	if i < 0 {
		return "", route
	}
	template := variable.ReplaceAllString(pattern[i:], "/{$1}")
	if path, ok := strings.CutSuffix(template, "/{$}"); ok {
		return pattern[:i], observation.Route{Template: path + "/", Exact: !strings.Contains(path, "{")}
	}
	return pattern[:i], observation.Route{Template: template, Exact: !strings.HasSuffix(template, "/") &&
		!strings.ContainsAny(template, "{:*")}
}

// variable matches a variable of gin, echo or chi.
var variable = regexp.MustCompile(`/[:*]([^/]*)`)
