// Package location decides under which location a page is listed. It takes requests, links and
// URLs. It returns a location, or the reason why there is none.
//
// A location is a path-absolute reference in normal form, such as "/news/42" or "/news?page=2". It
// is printable ASCII, from 0x21 to 0x7E, and starts with a single slash. It has no dot segments,
// empty segments or fragment. It has escapes, in upper case, only where they are needed. Its
// parameters are sorted by key. Two spellings of one page have one location. The package rejects
// what is unsafe or uncertain. It must never repair it: nobody asked for a repaired location, and
// the site may not answer there.
//
// A location's host is always that of the configured Origin. It must never be one that a request or
// a page names.
package location

import (
	"errors"
	"fmt"
	"strings"
)

// The limits of a location. The sitemap protocol allows a URL fewer than 2,048 characters, with the
// origin. Half of that still holds a hundred CJK characters, each of nine bytes when it is escaped.
const (
	maxLocation = 1024 // bytes of a location
	maxSegments = 12   // segments of its path
	maxParams   = 3    // parameters of its query
	maxValue    = 64   // bytes of a parameter's value, decoded
	maxInput    = 8192 // bytes of an input; a longer one is refused unread
)

// Reason says why a request, a link or a URL has no location. The zero Reason means that it has
// one. The numbers may change between versions, the strings do not.
type Reason uint8

// The reasons. An input with several defects mostly gets the first one in this list.
const (
	ReasonNone          Reason = iota // accepted
	ReasonHost                        // the host is not one of the site's
	ReasonForm                        // not a path or an http(s) URL, or it has user information or, in a request, a fragment
	ReasonRawChar                     // a character that must not be there, even escaped, or a broken escape
	ReasonUTF8                        // the decoded text is not UTF-8
	ReasonControl                     // a control character, line separator or noncharacter
	ReasonBidi                        // an invisible formatting character, such as a change of writing direction
	ReasonBackslash                   // a backslash, which some clients read as a slash
	ReasonDoubleEncoded               // an escape inside an escape
	ReasonEmptySegment                // two slashes in a row
	ReasonEncodedSlash                // an escaped slash: after decoding, nobody can tell it from a real one
	ReasonPathParam                   // a semicolon in the path, as in ";jsessionid=", or a session as a segment
	ReasonTooLong                     // more bytes or segments than a location may have
	ReasonDotSegment                  // "." or ".." as a segment
	ReasonEmail                       // an e-mail address
	ReasonOutsideFolder               // not at or below the origin's folder
	ReasonQuery                       // a parameter that is not allowed, or a query that is malformed
)

// reasons are the reasons' names, and explanations for whoever wrote the URL.
var reasons = [...]struct{ name, text string }{
	ReasonNone:          {"none", "it is accepted"},
	ReasonHost:          {"host", "its host is not the site's"},
	ReasonForm:          {"form", "it is not a path or an http(s) URL, or it names a user"},
	ReasonRawChar:       {"raw-char", "it has a character that may not stand in a URL, or a broken escape"},
	ReasonUTF8:          {"utf8", "it is not UTF-8"},
	ReasonControl:       {"control", "it has a control character"},
	ReasonBidi:          {"bidi", "it has an invisible formatting character"},
	ReasonBackslash:     {"backslash", "it has a backslash, which some clients read as a slash"},
	ReasonDoubleEncoded: {"double-encoded", "it is escaped twice"},
	ReasonEmptySegment:  {"empty-segment", "it has two slashes in a row"},
	ReasonEncodedSlash:  {"encoded-slash", "it has an escaped slash"},
	ReasonPathParam:     {"path-param", "its path has a semicolon or a session"},
	ReasonTooLong:       {"too-long", "it is too long or has too many segments"},
	ReasonDotSegment:    {"dot-segment", `it has "." or ".." as a segment`},
	ReasonEmail:         {"email", "it has an e-mail address"},
	ReasonOutsideFolder: {"outside-folder", "it is not in the folder of the origin"},
	ReasonQuery:         {"query", "its query has a parameter that is not allowed"},
}

// String returns the reason's fixed name, such as "dot-segment". It is "none" for ReasonNone.
func (r Reason) String() string {
	if int(r) < len(reasons) {
		return reasons[r].name
	}
	return "unknown"
}

// Text returns the reason in words for people, such as "it has two slashes in a row". The words may
// change.
func (r Reason) Text() string {
	if int(r) < len(reasons) {
		return reasons[r].text
	}
	return "it cannot be listed"
}

// Result is the location of a request or a link, or the reason why there is none.
type Result struct {
	// Location is the location if Reason is ReasonNone, and empty if there is none. It may share
	// memory with the input; clone it to keep it for long.
	Location string
	// Reason is ReasonNone if nothing in the URL itself keeps the page out of the sitemap.
	Reason Reason
	// OwnQuery says that Reason is ReasonQuery only because of a well-formed parameter that
	// is not allowed. Location then has all parameters but the tracking ones. The page may be
	// listed there if its own canonical link resolves to that same location.
	OwnQuery bool
	// Tracked says that tracking parameters were dropped. With them, the site may show something
	// other than at Location.
	Tracked bool
	// Local says that a request's host counts only because a nearby proxy may send it instead of
	// the origin's.
	Local bool
}

// Config holds the settings of a Normalizer, besides the origin. The zero Config is ready for use.
type Config struct {
	// Hosts are the hosts whose requests count, with or without port, in any case. A default port
	// (80 or 443) and a trailing dot make no difference. If Hosts is set, the origin's host counts
	// only if it is listed here. Empty means the origin's host and what a proxy on the same machine
	// or network may send instead: IP addresses, "localhost" and other names of a single label. In
	// links, only the origin's host and Hosts count.
	Hosts []string
	// StrippedPrefix is the start of the public path that a proxy removes before the request
	// arrives. With "/app", the request for "/docs" has the location "/app/docs". Links are public
	// and stay as they are. Empty means none.
	StrippedPrefix string
	// Params are the keys of query parameters that select another page. Nil means "page" with a
	// number or a short word; empty but not nil means none. A parameter listed here is kept
	// whatever its value, even if it looks like a tracking parameter.
	Params []string
	// More returns further keys that are allowed below a path, which is a location without query.
	// Nil means none. It is called only if a query has a key that is not in Params. It must be
	// quick and safe for concurrent use, and return keys that CheckParam accepts. Its result is not
	// kept.
	More func(path string) []string
}

// Normalizer turns requests, links and URLs into locations. It never changes and is safe for
// concurrent use.
type Normalizer struct {
	origin  Origin
	prefix  string
	params  map[string]bool
	given   bool // whether params are the owner's
	more    func(path string) []string
	request hostSet
	link    hostSet
}

// New returns a Normalizer for the origin. Of cfg it keeps only More. An error names the wrong
// setting.
func New(origin Origin, cfg Config) (*Normalizer, error) {
	if origin.host == "" {
		return nil, errors.New("origin is empty; ParseOrigin makes one")
	}
	prefix, err := parseStrippedPrefix(cfg.StrippedPrefix)
	if err != nil {
		return nil, err
	}
	params, err := parseParams(cfg.Params)
	if err != nil {
		return nil, err
	}
	n := &Normalizer{origin: origin, prefix: prefix, params: params, given: cfg.Params != nil, more: cfg.More}
	own := hostKey(origin.host)
	n.link = hostSet{named: map[string]bool{own: true}}
	n.request = hostSet{named: map[string]bool{own: true}, lenient: true}
	if len(cfg.Hosts) > 0 {
		n.request = hostSet{named: map[string]bool{}}
	}
	for _, h := range cfg.Hosts {
		host, err := parseHost(h)
		if err != nil {
			return nil, fmt.Errorf("options: Hosts: %w", err)
		}
		n.request.named[hostKey(host)], n.link.named[hostKey(host)] = true, true
	}
	return n, nil
}

// Origin returns the origin the Normalizer was made for.
func (n *Normalizer) Origin() Origin { return n.origin }

// Request returns the location of the page that a request asks for. The arguments are Host and
// RequestURI of the http.Request as the server received it. Do not use its URL: its path is
// decoded, and http.StripPrefix may have cut it. The host is only compared. A plain short path
// costs no allocation.
func (n *Normalizer) Request(host, requestURI string) Result {
	return n.read(host, requestURI, n.prefix)
}

// Public is Request for a RequestURI that has the whole public path, whatever StrippedPrefix is.
func (n *Normalizer) Public(host, requestURI string) Result { return n.read(host, requestURI, "") }

// read returns the location that a request asks for, after prefix was removed from its path.
func (n *Normalizer) read(host, requestURI, prefix string) Result {
	if len(requestURI) > maxInput {
		return Result{Reason: ReasonTooLong}
	}
	target := requestURI
	if target == "" || target[0] != '/' {
		authority, rest, ok := cutAbsolute(target)
		if !ok {
			return Result{Reason: ReasonForm}
		}
		if !n.request.has(authority) {
			return Result{Reason: ReasonHost}
		}
		target = rest
	}
	if !n.request.has(host) {
		return Result{Reason: ReasonHost}
	}
	if strings.IndexByte(target, '#') >= 0 {
		return Result{Reason: ReasonForm}
	}
	path, query, _ := strings.Cut(target, "?")
	if prefix != "" {
		path = prefix + path
	}
	r := n.locate(path, query, strict)
	r.Local = !n.request.names(host)
	return r
}

// Names reports whether a host, as a request spells it, is the origin's or a configured one. Hosts
// that only a nearby proxy may send do not count.
func (n *Normalizer) Names(host string) bool { return n.request.names(host) }

// Ours reports whether a host counts as the site's in a request or in a link.
func (n *Normalizer) Ours(host string) bool { return n.request.has(host) || n.link.has(host) }

// cutAbsolute splits a request target in absolute form into the authority and the rest, which
// starts with a slash.
func cutAbsolute(target string) (authority, rest string, ok bool) {
	after, ok := cutHTTP(target)
	if !ok {
		return "", "", false
	}
	authority, rest, ok = cutNetwork(after)
	if rest == "" || rest[0] != '/' {
		rest = "/" + rest
	}
	return authority, rest, ok
}

// locate applies the rules for a path and for a query, and joins the two.
func (n *Normalizer) locate(path, query string, m mode) Result {
	path, reason := normalPath(path, m)
	if reason != ReasonNone {
		return Result{Reason: reason}
	}
	if !strings.HasPrefix(path, n.origin.Folder()) {
		return Result{Reason: ReasonOutsideFolder}
	}
	if query == "" {
		return fit(Result{Location: path})
	}
	q, reason := n.parseQuery(path, query, m)
	if reason != ReasonNone {
		return Result{Reason: reason}
	}
	r := Result{Location: q.appendTo(path), Tracked: q.tracked}
	if q.foreign {
		r.Reason, r.OwnQuery = ReasonQuery, true
	}
	return fit(r)
}

// fit refuses a location that is too long.
func fit(r Result) Result {
	if len(r.Location) > maxLocation {
		return Result{Reason: ReasonTooLong}
	}
	return r
}

// parseStrippedPrefix checks the setting and returns it without a trailing slash.
func parseStrippedPrefix(s string) (string, error) {
	if s == "" || s == "/" {
		return "", nil
	}
	if s[0] != '/' {
		return "", fmt.Errorf("options: StrippedPrefix: %q does not start with a slash; write %q", s, "/"+s)
	}
	prefix, reason := normalFolder(s)
	if reason != ReasonNone {
		return "", fmt.Errorf("options: StrippedPrefix: %q is not a path that can be listed: %s", s, reason.Text())
	}
	return strings.TrimSuffix(prefix, "/"), nil
}
