// Package visits makes observations as the observer offers them to the indexer, for the tests of the
// index room. Only tests may import it.
package visits

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/index/observation"
	"github.com/servemap/servemap/internal/page/response"
)

// Change adjusts an observation.
type Change = func(*observation.Observation)

// Page is an observation in which somebody got a page.
func Page(location, body string, at time.Time, changes ...Change) *observation.Observation {
	page := func(e *observation.Observation) {
		e.Kind, e.Response.Body = eligibility.Witness, []byte(body)
		e.Response.Header.ContentType = "text/html; charset=utf-8"
	}
	return observed(location, http.StatusOK, at, append([]Change{page}, changes...))
}

// Answer returns an observation with a response that is no page. Its kind is what the rules say of that response.
func Answer(location string, status int, at time.Time, changes ...Change) *observation.Observation {
	e := observed(location, status, at, changes)
	e.Kind, e.Reason = eligibility.Rules{}.Response(location, e.Response)
	return e
}

func observed(location string, status int, at time.Time, changes []Change) *observation.Observation {
	e := &observation.Observation{Location: location, At: at, Response: &response.Response{Status: status, Complete: true}}
	for _, f := range changes {
		f(e)
	}
	return e
}

// HTML is a page with a main text and links. Another text counts as a change at its first
// observation, since the whole paragraph is new and long.
func HTML(text string, links ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "<!doctype html><html><head><title>t</title></head><body><main><p>%s</p>", atLength(text))
	for _, l := range links {
		fmt.Fprintf(&b, `<a href="%s">x</a>`, l)
	}
	return b.String() + "</main></body></html>"
}

// atLength says a text at some length, if it has no markup.
func atLength(text string) string {
	if strings.Contains(text, "<") {
		return text
	}
	return text + strings.Repeat(". What there is to say of "+text+" is said here at length", 12)
}

// Head is a page with something in its head.
func Head(in string, links ...string) string {
	return strings.Replace(HTML("a page", links...), "<head>", "<head>"+in, 1)
}

// Variant is a page that names another page, or itself, as canonical.
func Variant(canonical, text string) string {
	return strings.Replace(HTML(text), "<head>", fmt.Sprintf(`<head><link rel=canonical href="%s">`, canonical), 1)
}

// Illustrated is a page with images.
func Illustrated(text string, images ...string) string {
	var b strings.Builder
	for _, src := range images {
		fmt.Fprintf(&b, `<img src="%s">`, src)
	}
	return strings.Replace(HTML(text), "</main>", b.String()+"</main>", 1)
}

// InLanguages is a page that names itself in other languages, as "de=/de".
func InLanguages(text string, alternates ...string) string {
	var b strings.Builder
	for _, a := range alternates {
		lang, href, _ := strings.Cut(a, "=")
		fmt.Fprintf(&b, `<link rel="alternate" hreflang="%s" href="%s">`, lang, href)
	}
	return fmt.Sprintf("<html><head>%s</head><body><main>%s</main></body></html>", b.String(), text)
}

// Numbered returns n locations, from 0 on.
func Numbered(format string, n int) (locations []string) {
	for i := range n {
		locations = append(locations, fmt.Sprintf(format, i))
	}
	return locations
}

// Route says which route answered.
func Route(template string, exact bool) Change {
	return func(e *observation.Observation) { e.Route = observation.Route{Template: template, Exact: exact} }
}

// At sets the clock by which an observation was observed.
func At(t time.Time) Change { return func(e *observation.Observation) { e.At = t } }

// Header changes the response's header.
func Header(set func(*response.Header)) Change {
	return func(e *observation.Observation) { set(&e.Response.Header) }
}

// LastModified dates the response.
func LastModified(t time.Time) Change {
	return Header(func(h *response.Header) { h.LastModified = t.UTC().Format(http.TimeFormat) })
}

// RobotsTag sets X-Robots-Tag.
func RobotsTag(v string) Change { return Header(func(h *response.Header) { h.RobotsTag = v }) }

// CacheControl sets Cache-Control of HTML.
func CacheControl(v string) Change {
	return Header(func(h *response.Header) { h.CacheControl, h.ContentType = v, "text/html" })
}

// Redirect sets Location.
func Redirect(target string) Change {
	return Header(func(h *response.Header) { h.Location = target })
}

// OwnQuery gives an observation a query that only the page's own canonical can allow.
func OwnQuery(e *observation.Observation) { e.OwnQuery = true }

// FromSeconds returns the time of a number of Unix seconds, the zero time for 0.
func FromSeconds(sec int64) time.Time { return moment.Seconds(sec).Time() }
