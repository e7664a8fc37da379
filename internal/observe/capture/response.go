package capture

import (
	"net/http"
	"net/textproto"
	"strings"
	"unsafe"
)

// A Response is what one response showed. [Serve] fills it. Once Serve has returned, the Response
// belongs to the caller and may go to another goroutine. Nothing writes to it again, even if a
// goroutine of the handler is late. It holds no reference to the request or the connection.
type Response struct {
	// Status is the final status code. A handler that sets none sends 200. 1xx codes are not final,
	// except 101 before HTTP/2. It is 0 if the connection was hijacked, since then it is unknown.
	Status int

	// Header holds the values at the time of the first final WriteHeader, Write or Flush. Later
	// changes to the map reach no client and are not in it.
	Header Header

	// Body is the content that the writer below accepted, up to the limit given to [NewBuffers]. It
	// is nil unless it may be a page (a GET, status 200, HTML or XHTML, not an attachment) or
	// [ServeText] keeps it. It still has the coding of Header.ContentEncoding. It is valid until
	// Release.
	Body []byte

	// Truncated says that Body is not the whole content: it was too long, or no buffer was free.
	Truncated bool

	// Written is how many bytes of content the writer below accepted, kept or not.
	Written int64

	// Complete says that the client was sent everything, as far as a server can know. The
	// connection was not hijacked, no write failed, and a declared Content-Length was met. The
	// request was not cancelled before the header was sent or, without a declared length, before
	// the handler returned. No error status came after the header was out, as when a recovery
	// middleware answers a panic in the middle of a page. If it is false, the other fields may not
	// be what the client got. A handler that just returns in the middle of a page, for example
	// because a template failed, looks complete.
	Complete bool

	// Route is left empty by this package. A middleware nearer to the handler, which knows the
	// route, may set it through [From].
	Route string

	// Exact says that the route Route matches nothing but its template.
	Exact bool

	// Own is left false by this package. A handler of servemap's own sets it through [From]: the response is none of
	// the site's pages.
	Own bool

	buffers *Buffers
	buf     *[]byte // from buffers; nil if nothing is kept
}

// Release gives back the memory of Body and sets Body to nil. The owner of the Response calls it
// when it no longer needs Body. Calling it again does nothing. It must not run while the Response
// is in use.
func (s *Response) Release() {
	if s.buf != nil {
		s.buffers.put(s.buf)
	}
	s.buf, s.Body = nil, nil
}

// Size returns about how many bytes of memory the Response holds, without Body.
func (s *Response) Size() int {
	n := int(unsafe.Sizeof(*s)) + len(s.Route)
	for _, value := range []string{
		s.Header.ContentType, s.Header.ContentLength, s.Header.ContentEncoding, s.Header.ContentDisposition, s.Header.TransferEncoding,
		s.Header.CacheControl, s.Header.RobotsTag, s.Header.LastModified, s.Header.Location, s.Header.Link, s.Header.Vary,
	} {
		n += len(value)
	}
	return n
}

// kept returns how many bytes of the body are kept so far.
func (s *Response) kept() int {
	if s.buf == nil {
		return 0
	}
	return len(*s.buf)
}

// HTML reports whether the client was told that the content is HTML or XHTML.
func (s *Response) HTML() bool { return IsHTML(s.Header.ContentType) }

// Header is the part of a response's header that says something about a page. A missing field is
// empty. Repeated fields are joined with ", ", which means the same (RFC 9110 section 5.3). Only
// X-Robots-Tag is joined with line feeds, since a robot's name in it holds to the end of its line.
type Header struct {
	// ContentType is the type that the client was told: the handler's, or the one that net/http
	// found from the first bytes of a 200.
	ContentType        string
	ContentLength      string
	ContentEncoding    string
	ContentDisposition string
	TransferEncoding   string
	CacheControl       string // also headers for one kind of cache alone, such as CDN-Cache-Control, and Pragma
	RobotsTag          string // X-Robots-Tag
	LastModified       string
	Location           string
	Link               string
	Vary               string
}

// take reads the fields from src. net/http also sends keys that are not in canonical form, so take
// must see a noindex in x-robots-tag too.
func (h *Header) take(src http.Header) {
	*h = Header{}
	for key, values := range src {
		if len(values) == 0 {
			continue
		}
		field, sep := h.field(textproto.CanonicalMIMEHeaderKey(key))
		switch {
		case field == nil:
		case *field == "" && len(values) == 1:
			*field = values[0]
		case *field == "":
			*field = strings.Join(values, sep)
		default:
			*field += sep + strings.Join(values, sep)
		}
	}
}

// field returns where the values of a canonical key belong and how they are joined, or nil for
// other keys.
func (h *Header) field(key string) (field *string, sep string) {
	switch key {
	case "Content-Type":
		return &h.ContentType, ", "
	case "Content-Length":
		return &h.ContentLength, ", "
	case "Content-Encoding":
		return &h.ContentEncoding, ", "
	case "Content-Disposition":
		return &h.ContentDisposition, ", "
	case "Transfer-Encoding":
		return &h.TransferEncoding, ", "
	case "Cache-Control", "Cdn-Cache-Control", "Surrogate-Control", "Edge-Control", "X-Litespeed-Cache-Control", "Pragma":
		return &h.CacheControl, ", "
	case "X-Robots-Tag":
		return &h.RobotsTag, "\n"
	case "Last-Modified":
		return &h.LastModified, ", "
	case "Location":
		return &h.Location, ", "
	case "Link":
		return &h.Link, ", "
	case "Vary":
		return &h.Vary, ", "
	}
	if strings.HasSuffix(key, "-Cdn-Cache-Control") { // for one CDN alone, RFC 9213
		return &h.CacheControl, ", "
	}
	return nil, ""
}
