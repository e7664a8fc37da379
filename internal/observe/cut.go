package observe

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/servemap/servemap/internal/admin/messages"
	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/page/location"
)

// CutOff returns the start of the path that a handler in this program cut off before the request
// came here. It is decoded, without a final slash, and "" if nothing was cut off.
// [http.StripPrefix] cuts the path of the URL, but leaves the request's target as it was.
func CutOff(r *http.Request) string {
	path, _, _ := strings.Cut(r.RequestURI, "?")
	if path == r.URL.Path {
		return ""
	}
	if _, rest, absolute := strings.Cut(path, "://"); absolute && path[0] != '/' {
		path = rest[max(0, strings.IndexByte(rest, '/')):]
	}
	path, err := url.PathUnescape(path)
	cut, is := strings.CutSuffix(path, r.URL.Path)
	if err != nil || !is || !strings.HasPrefix(cut, "/") {
		return ""
	}
	return strings.TrimSuffix(cut, "/")
}

// locate returns the location of the requested page, or why there is none. The target still has a
// prefix that this program cut off, but not one that a proxy cut off. A host that only a nearby
// proxy may send instead of the origin's counts only from a nearby peer.
func (o *Observer) locate(r *http.Request) location.Result {
	loc := o.Locate(r)
	if loc.Reason != location.ReasonHost {
		o.noteCut(r)
	}
	return loc
}

// Locate is locate for a request from which the observer is to learn nothing.
func (o *Observer) Locate(r *http.Request) (loc location.Result) {
	if cut := CutOff(r); cut != "" && cut == o.cfg.StrippedPrefix {
		loc = o.cfg.Normalizer.Public(r.Host, r.RequestURI)
	} else {
		loc = o.cfg.Normalizer.Request(r.Host, r.RequestURI)
	}
	if loc.Local && !nearby(r) {
		return location.Result{Reason: location.ReasonHost}
	}
	return loc
}

// inOrigin reports whether the origin's folder begins with the prefix that was cut off.
func (o *Observer) inOrigin(cut string) bool {
	return cut != "" && strings.HasPrefix(o.cfg.Normalizer.Origin().Folder(), o.cfg.StrippedPrefix+cut+"/")
}

// noteCut gives a hint if nothing is listed and every request so far had a prefix cut off that the
// origin does not name.
func (o *Observer) noteCut(r *http.Request) {
	cut := CutOff(r)
	if cut == "" || cut == o.cfg.StrippedPrefix || o.inOrigin(cut) {
		o.tally[nWhole].Add(1)
		return
	}
	if o.tally[nWhole].Load() != 0 || o.cfg.Files.Listed() != 0 {
		return
	}
	path := (&url.URL{Path: o.cfg.StrippedPrefix + cut}).EscapedPath()
	if eligibility.WordOf(path, false) != eligibility.Plain {
		o.cfg.Hints.Give(messages.OtherFolder, "")
		return
	}
	o.cfg.Hints.Give(messages.OtherFolder, fmt.Sprintf("If %s is all of the site, write that as the origin.", o.cfg.Normalizer.Origin().URL(path)))
}
