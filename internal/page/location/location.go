// Package location decides under which location a page is listed. It takes requests, links and
// URLs. It returns a location, or the reason why there is none.
//
// A location is a path-absolute reference in normal form, such as "/news/42" or "/news?page=2". It
// is printable ASCII, from 0x21 to 0x7E, and starts with a single slash. It has no dot segments,
// empty segments or fragment. It has escapes, in upper case, only where they are needed. Its
// parameters stand in the order of the request or link, since a site may answer no other; [Sorted] compares.
// The package rejects what is unsafe or uncertain. It must never repair it: nobody asked for a repaired
// location, and the site may not answer there.
//
// The host of a location is always that of the configured Origin, never one that a request or a page names.
package location

const (
	maxURL   = 2047 // bytes of a URL; the sitemap protocol allows fewer than 2,048 characters
	maxInput = 8192 // bytes of an input; a longer one is refused unread
)

// Reason says why a request, a link or a URL has no location. The zero Reason means that it has
// one. Package eligibility has these among its own, with their names.
type Reason uint8

// The reasons. An input with several defects mostly gets the first one in this list.
const (
	ReasonNone Reason = iota // accepted
	ReasonHost               // the host is not one of the site's
	// not a path or an http(s) URL, or it has user information or, in a request, a fragment
	ReasonForm
	ReasonCharacter // a character that no address may have, even escaped; an invisible one; or not UTF-8
	// a broken escape, an escape inside an escape, or an escaped slash, which some servers take for a real one
	ReasonEscape
	ReasonSegment       // two slashes in a row, or "." or ".." as a segment
	ReasonPathParam     // a session in the path, as a segment or after a semicolon, as in ";jsessionid="
	ReasonTooLong       // more bytes than a URL in a sitemap may have
	ReasonEmail         // an e-mail address
	ReasonOutsideFolder // not at or below the origin's folder
	ReasonQuery         // a parameter that is not allowed, or has no value, or a query that is malformed
)

// Result is the location of a request or a link, or the reason why there is none.
type Result struct {
	// Location is the location if Reason is ReasonNone, and empty if there is none. It may share
	// memory with the input; clone it to keep it for long.
	Location string
	// Reason is ReasonNone if nothing in the URL itself keeps the page out of the sitemap.
	Reason Reason
	// OwnQuery says that Reason is ReasonQuery only because of a well-formed parameter that
	// is not allowed. Location then has all parameters but the tracking ones of a link. The page may be
	// listed there if its own canonical link resolves to that same location.
	OwnQuery bool
	// Local says that a request's host counts only because a nearby proxy may send it instead of
	// the origin's.
	Local bool
}
