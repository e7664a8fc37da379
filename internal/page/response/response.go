// Package response holds what one response showed, as a plain value, and lends the memory for its
// body.
package response

import (
	"net/http"
	"net/textproto"
	"strings"
	"unsafe"
)

// A Response is what one response showed. It holds no reference to the request or the connection,
// and may go to another goroutine.
type Response struct {
	// Status is the final status code. A handler that sets none sends 200. 1xx codes are not final,
	// except 101 before HTTP/2. It is 0 if the connection was hijacked, since then it is unknown.
	Status int

	// Header holds the values at the time of the first final WriteHeader, Write or Flush. Later
	// changes to the map reach no client and are not in it.
	Header Header

	// Body is the content that was sent, up to a limit, or nil if it was not wanted. It still has
	// the coding of Header.ContentEncoding. It is valid until Release.
	Body []byte

	// Truncated says that Body is not the whole content: it was too long, or no memory was free.
	Truncated bool

	// Written is how many bytes of content were sent, kept or not.
	Written int64

	// Complete says that the client was sent everything, as far as a server can know. The
	// connection was not hijacked, no write failed, and a declared Content-Length was met. The
	// request was not cancelled before the header was sent or, without a declared length, before
	// the handler returned. No error status came after the header was out, as when a recovery
	// middleware answers a panic in the middle of a page. If it is false, the other fields may not
	// be what the client got. A handler that just returns in the middle of a page, for example
	// because a template failed, looks complete.
	Complete bool

	lent lent // the memory of Body, if it was lent
}

// Release gives back the memory of Body and sets Body to nil. The owner of the Response calls it
// when it no longer needs Body. Calling it again does nothing.
func (r *Response) Release() {
	r.lent.giveBack()
	r.Body = nil
}

// Size returns about how many bytes of memory the Response holds, without Body.
func (r *Response) Size() int {
	n := int(unsafe.Sizeof(*r))
	for _, value := range []string{
		r.Header.ContentType, r.Header.ContentLength, r.Header.ContentEncoding, r.Header.ContentDisposition,
		r.Header.TransferEncoding,
		r.Header.CacheControl, r.Header.RobotsTag, r.Header.LastModified, r.Header.Location, r.Header.Refresh, r.Header.Link,
		r.Header.Vary,
	} {
		n += len(value)
	}
	return n
}

// HTML reports whether the client was told that the content is HTML or XHTML.
func (r *Response) HTML() bool { return IsHTML(r.Header.ContentType) }

// IsHTML reports whether a Content-Type names HTML or XHTML. Two joined types are neither.
func IsHTML(contentType string) bool {
	media, _, _ := strings.Cut(contentType, ";")
	media = strings.TrimSpace(media)
	return strings.EqualFold(media, "text/html") || strings.EqualFold(media, "application/xhtml+xml")
}

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
	Refresh            string
	Link               string
	Vary               string
}

// HeaderOf reads the fields from h. net/http also sends keys that are not in canonical form, so it
// must see a noindex in x-robots-tag too.
func HeaderOf(h http.Header) Header {
	var read Header
	for key, values := range h {
		if len(values) == 0 {
			continue
		}
		field, sep := read.field(textproto.CanonicalMIMEHeaderKey(key))
		switch {
		case field == nil:
		case *field == "":
			*field = strings.Join(values, sep)
		default:
			*field += sep + strings.Join(values, sep)
		}
	}
	return read
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
	case "Refresh":
		return &h.Refresh, ", "
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

// Shown reports whether the browser shows the body and does not save it. An unknown disposition
// counts as an attachment (RFC 6266 section 4.2).
func (h *Header) Shown() bool {
	disposition, _, _ := strings.Cut(h.ContentDisposition, ";")
	disposition = strings.TrimSpace(disposition)
	return disposition == "" || strings.EqualFold(disposition, "inline")
}
