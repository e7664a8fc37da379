package eligibility

import (
	"net/http"
	"net/url"
	"path"
	"strings"

	"github.com/servemap/servemap/internal/decide/action"
	"github.com/servemap/servemap/internal/page/html"
	"github.com/servemap/servemap/internal/page/response"
)

// Kind says what a response to an anonymous client proves about its location.
type Kind uint8

// The kinds.
const (
	Nothing    Kind = iota // no observation
	Witness                // the page is there, and its headers allow listing it
	Forbidden              // the page is there, and its headers forbid listing it
	Alive                  // the page is there, but was not sent
	Vanished               // the page is gone, and the site says that this is final
	Doubtful               // the page may be gone, or this client may not see it
	Redirected             // the location leads elsewhere
	RobotsFile             // the site's robots.txt, or proof that there is none if the status is not 200; see RobotsTxt
)

// Response returns what a response to a GET proves, and why. For Forbidden, Vanished and Doubtful, the
// reason says why to withdraw the page. For Nothing it says why the response is no observation. Only a
// complete response can be a Witness or Doubtful; see [response.Response].
func (rs Rules) Response(location string, resp *response.Response) (Kind, Reason) {
	kind, why := rs.status(location, resp)
	if kind == Doubtful && !resp.Complete {
		return Nothing, Incomplete // if a client leaves, its queries are cancelled, and some handlers then answer 404
	}
	return kind, why
}

// status judges a response by its status first.
func (rs Rules) status(location string, resp *response.Response) (Kind, Reason) {
	switch resp.Status {
	case http.StatusOK:
		return rs.found(location, resp)
	case http.StatusNotModified:
		return rs.unsent(location, resp)
	case http.StatusGone:
		return Vanished, StatusGone
	case http.StatusNotFound:
		return Doubtful, NotFound
	case http.StatusUnauthorized, http.StatusForbidden:
		return Doubtful, Denied
	case http.StatusMovedPermanently, http.StatusPermanentRedirect,
		http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect:
		return Leads(resp.Header.Location)
	}
	return Nothing, Status
}

// unsent judges a 304, which does not send the page.
func (rs Rules) unsent(location string, resp *response.Response) (Kind, Reason) {
	if why := cacheControl(resp.Header.CacheControl); why != None && !rs.IgnoreCacheControl(location) {
		return Forbidden, why
	}
	if noIndex, _, _ := html.Robots(strings.Split(resp.Header.RobotsTag, "\n")); noIndex {
		return Forbidden, NoIndex
	}
	return Alive, None
}

// found judges a 200 by its headers alone.
func (rs Rules) found(location string, resp *response.Response) (Kind, Reason) {
	if !resp.HTML() {
		return Nothing, NotHTML // another representation proves nothing about the page
	}
	if why := cacheControl(resp.Header.CacheControl); why != None && !rs.IgnoreCacheControl(location) {
		return Forbidden, why
	}
	switch {
	case !resp.Header.Shown():
		return Nothing, Attachment
	case !resp.Complete:
		return Nothing, Incomplete
	case len(resp.Body) == 0 && resp.Written > 0 && !resp.Truncated:
		return Nothing, Encoding // servemap could not find a noindex in it
	}
	return Witness, None
}

// RobotsTxt reports whether a response to a GET for robots.txt shows the site's robots.txt, or
// shows that there is none (RFC 9309, section 2.3.1.3). HTML does not count: some sites answer
// every path with one page. Temporary errors, redirects and refusals prove nothing.
func RobotsTxt(resp *response.Response) bool {
	if !resp.Complete {
		return false
	}
	switch resp.Status {
	case http.StatusNotFound, http.StatusGone:
		return true
	case http.StatusOK:
		unread := len(resp.Body) == 0 && resp.Written > 0 && !resp.Truncated
		return !unread && !resp.HTML() && !strings.HasPrefix(http.DetectContentType(resp.Body), "text/html")
	}
	return false
}

// cacheControl returns Private or NoStore if a header for caches has that directive (RFC 9111, sections 5.2.2.5 and
// 5.2.2.7, and RFC 9213). A page that a CDN must not keep is not for everybody either. "private" counts even with a
// list of fields, which are then for one person. "no-cache" does not count, not even in Pragma. Semicolons and spaces
// count as commas. Only letters count, so that quotes do not matter, and no_store counts too.
func cacheControl(header string) Reason {
	why := None
	parts := func(c rune) bool { return strings.ContainsRune(",; \t", c) }
	for directive := range strings.FieldsFuncSeq(header, parts) {
		name, _, _ := strings.Cut(directive, "=")
		switch strings.Map(html.Letter, name) {
		case "nostore":
			return NoStore
		case "private":
			why = Private
		}
	}
	return why
}

// AssetName reports whether the location is named like a file that is no page. HTML under such a name may be a page
// all the same, as /tags/node.js, an error page, or a cache deception: a personal page that was requested as
// "profile.css", so that caches keep it (Mirheidari et al., "Cached and Confused", USENIX Security 2020). So only what
// the site itself gets there counts.
func AssetName(location string) bool {
	p, _, _ := strings.Cut(location, "?")
	return assets[strings.ToLower(path.Ext(p))]
}

var assets = words(".css .js .mjs .map .json .xml .txt .csv .png .jpg .jpeg .gif .webp .avif .svg .ico .bmp .woff " +
	".woff2 .ttf .otf .eot " +
	".mp3 .mp4 .webm .ogg .wav .avi .mov .pdf .zip .gz .tar .tgz .bz2 .xz .7z .rar .exe .dmg .iso .wasm .swf .jar .class")

func words(list string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		set[w] = true
	}
	return set
}

// Leads returns what a redirect to a target proves, by its status or in HTML.
func Leads(target string) (Kind, Reason) {
	if IsLogIn(target) {
		return Doubtful, LoginRedirect
	}
	return Redirected, None
}

// IsLogIn reports whether an address, such as the target of a redirect, is that of a log-in.
func IsLogIn(target string) bool {
	target, _, _ = strings.Cut(target, "#")
	target, _, _ = strings.Cut(target, "?")
	if _, rest, ok := strings.Cut(target, "://"); ok {
		target = rest // the first label of the host counts as a segment
	}
	for segment := range strings.SplitSeq(target, "/") {
		name, _, _ := strings.Cut(segment, ".")
		if decoded, err := url.PathUnescape(name); err == nil {
			name = decoded
		}
		if loginWords[strings.Join(action.Words(name), "")] {
			return true
		}
	}
	return false
}
