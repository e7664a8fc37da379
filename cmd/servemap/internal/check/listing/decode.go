// Package listing reads one file that lists pages: a sitemap, an index, a feed or a text of URLs, and says what is
// wrong with it, by the protocol of sitemaps.org and by what Google documents of its extensions. It asks nobody. What
// it is told of the site is in [Site], and what files say of each other in [Judge]. All it finds goes into a
// [report.Report].
package listing

import (
	"fmt"
	"mime"
	"regexp"
	"strings"

	"github.com/servemap/servemap/cmd/servemap/internal/check/report"
)

var htmlBegins = regexp.MustCompile(`(?i)^(?:\s|<!--[^>]*-->|<\?xml[^>]*>)*(?:<!doctype html|<html[\s>])`)

// contentType judges the Content-Type of a file. The kind is "" if it is right.
func contentType(header, form string, packed bool) (kind, text string) {
	typ, _, err := mime.ParseMediaType(header)
	main, sub, _ := strings.Cut(typ, "/")
	isXML := sub == "xml" || strings.HasSuffix(sub, "+xml") && sub != "xhtml+xml" && main != "image"
	switch {
	case header == "":
		return "type-advice", "has no Content-Type"
	case err != nil:
		return "content-type", fmt.Sprintf("has the Content-Type %q, which is none", report.Shorten(header))
	case packed && (strings.Contains(sub, "gzip") || sub == "octet-stream" || sub == "x-gunzip" || isXML ||
		main == "text" && sub == "plain"), isXML && form != "text":
		return "", ""
	case form == "text" && main == "text" && sub != "html":
		return "", ""
	case sub == "octet-stream" || typ == "text/plain":
		return "type-advice", "has the Content-Type " + report.Shorten(typ)
	}
	return "content-type", "has the Content-Type " + report.Shorten(typ)
}
