// Package address judges and compares the URLs of a sitemap. It is pure.
package address

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/servemap/servemap/internal/page/escape"
	"github.com/servemap/servemap/internal/page/location"
)

// longest is how long the protocol allows a URL to be, in bytes.
const longest = 2047

// Fault is why a URL may not be in a sitemap. Kind is one of package report.
type Fault struct{ Kind, Text string }

var (
	web       = regexp.MustCompile(`(?i)^https?://`)
	scheme    = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*:`)
	badEscape = regexp.MustCompile(`%(?:[^0-9A-Fa-f]|[0-9A-Fa-f](?:[^0-9A-Fa-f]|$)|$)`)
	// twiceXML matches what is left of an address that was escaped twice for XML, and twiceURL for URLs: an escaped %
	// before the number of a character that is mostly escaped, as in %2520, or the first of two bytes, as in %25C3%25BC.
	twiceXML = regexp.MustCompile(`&(?:amp|lt|gt|quot|apos|#\d+|#x[0-9A-Fa-f]+);`)
	twiceURL = regexp.MustCompile(`%25(?:2[0-9A-Fa-f]|3[A-Fa-f]|5[BDbd]|[C-Fc-f][0-9A-Fa-f]%25)`)
)

// Parse reads the URL of an entry. If it may not be in a sitemap, it says why; u is nil if it is of no use, and else
// what was meant.
func Parse(loc string) (u *url.URL, why Fault) {
	bad := func(format string, args ...any) (*url.URL, Fault) {
		return nil, Fault{"loc", fmt.Sprintf(format, args...)}
	}
	switch at := badEscape.FindString(loc); {
	case loc == "":
		return bad("is empty")
	case strings.Contains(loc, "{{") || strings.Contains(loc, "<%") || strings.Contains(loc, "{%"):
		return bad("has a variable of a template that was not filled in")
	case !scheme.MatchString(loc):
		return bad("is no whole URL; write it with its scheme and host, as https://example.com/page")
	case !web.MatchString(loc):
		return bad("is neither http nor https")
	case len(loc) > longest:
		return bad("has %d characters; at most %d are allowed", len(loc), longest)
	case at != "" && !strings.ContainsFunc(loc, unfit):
		return bad("has a %% that begins no escape, at %q; write %%25", at)
	}
	u, err := url.Parse(loc)
	at := strings.IndexFunc(loc, unfit)
	switch {
	case at >= 0:
		c, _ := utf8.DecodeRuneInString(loc[at:])
		if _, why = bad("has the character %q, which must be percent-encoded", c); err != nil || u.Hostname() == "" {
			return nil, why
		}
		return u, why
	case err != nil || u.Hostname() == "":
		return bad("is no URL")
	case u.User != nil:
		return bad("has a user name or password before the host")
	case twiceXML.MatchString(loc):
		return u, Fault{"escapes", "has " + twiceXML.FindString(loc) + " in it once the XML is read"}
	case twiceURL.MatchString(loc):
		return u, Fault{"escapes", "has " + twiceURL.FindString(loc) + " in it, an escape that was escaped again"}
	case strings.Contains(loc, "#"):
		named := u.EscapedFragment()
		u.Fragment, u.RawFragment = "", ""
		return u, Fault{"fragment", "has the fragment #" + named}
	}
	return u, Fault{}
}

// unfit reports whether a URL may not have a sign as it is.
func unfit(c rune) bool { return c <= ' ' || c > '~' || strings.ContainsRune(never, c) }

// Host returns the host of a URL in lower case, without the port that its scheme implies.
func Host(u *url.URL) string {
	port := map[string]string{"http": ":80", "https": ":443"}[u.Scheme]
	return strings.TrimSuffix(strings.ToLower(u.Host), port)
}

// developer matches hosts on which sites are made and tried.
var developer = regexp.MustCompile(`^(?:localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0|10\.\d+\.\d+\.\d+|192\.168\.\d+\.\d+|\[::1\]|` +
	`(?:staging|stage|preprod|uat)\..+|.+\.(?:local|localhost|test))(?::\d+)?$`)

// Developer reports whether a URL has the host of a developer's machine or of a staging server, and a site has not.
func Developer(u *url.URL, site string) bool {
	return developer.MatchString(Host(u)) && !developer.MatchString(site)
}

// Site returns the scheme and the host of a URL.
func Site(u *url.URL) string { return u.Scheme + "://" + Host(u) }

// IsRoot reports whether a URL is that of a site's start page.
func IsRoot(u *url.URL) bool { return strings.Trim(u.Path, "/") == "" && u.RawQuery == "" }

// Key returns a URL in a form that is the same for all ways to write it: the scheme and the host in lower case, a path
// at least, each escape as short as it can be, no fragment.
func Key(u *url.URL) string {
	path := escapes(u.EscapedPath())
	if path == "" {
		path = "/"
	}
	key := Site(u) + path
	if u.RawQuery != "" {
		key += "?" + escapes(u.RawQuery)
	}
	return key
}

// KeyOf is [Key] of a text that may be no URL.
func KeyOf(s string) string { return of(s, Key) }

func of(s string, do func(*url.URL) string) string {
	if u, err := url.Parse(s); err == nil {
		return do(u)
	}
	return s
}

// Bare returns a URL as [Key], without parameters that follow visitors.
func Bare(u *url.URL) string {
	bare := *u
	bare.RawQuery = strings.Join(slices.DeleteFunc(strings.Split(u.RawQuery, "&"), func(pair string) bool {
		return pair == "" || tracks(pair)
	}), "&")
	return Key(&bare)
}

// BareOf is [Bare] of a text that may be no URL.
func BareOf(s string) string { return of(s, Bare) }

// tracks reports whether a parameter follows a visitor, or holds his session.
func tracks(pair string) bool {
	name, _, _ := strings.Cut(pair, "=")
	return location.Tracks(name)
}

// Tracking returns the parameter of a URL that follows visitors, "" for none.
func Tracking(u *url.URL) string {
	pairs := strings.Split(u.RawQuery, "&")
	if at := slices.IndexFunc(pairs, tracks); at >= 0 {
		name, _, _ := strings.Cut(pairs[at], "=")
		return name
	}
	if strings.Contains(strings.ToLower(u.Path), ";jsessionid=") {
		return "jsessionid"
	}
	return ""
}

// escapes writes each escape in one way: letters, digits and -._~ as they are, all others with capitals.
func escapes(s string) string {
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		c, escaped := s[i], escape.Is(s[i:])
		if escaped {
			c = escape.Byte(s[i:])
			i += 2
		}
		if !unfit(rune(c)) && strings.IndexByte(alike, c) < 0 && (!escaped || plain(c)) {
			out = append(out, c)
		} else {
			out = escape.Append(out, c)
		}
	}
	return string(out)
}

// never has the signs that no URL may have as they are; alike has those of a path or a query that mean the same escaped
// and as they are, to nearly all programs.
const never, alike = "\"<>\\^`{|}", "!$'()*,:@[]"

func plain(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-._~", c) >= 0
}
