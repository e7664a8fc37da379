package location

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"
)

// Origin is the public scheme and host of the site, and its folder. No part of a request ever
// becomes part of a URL. The zero Origin means no origin; ParseOrigin makes one.
type Origin struct {
	scheme string // "http" or "https"
	host   string // lower case, punycode, with the port if it is not the scheme's own
	folder string // starts and ends with a slash
}

// ParseOrigin reads an origin such as "https://example.com". A site in one folder of its host has
// an origin such as "https://example.com/blog", which means the same as
// "https://example.com/blog/". A host in another script is converted to punycode. Addresses and
// "localhost" are allowed, for development. An error says what is wrong and what to write instead.
// It does not repeat a password.
func ParseOrigin(s string) (Origin, error) {
	o, err := parseOrigin(s)
	if err != nil {
		if other, wrong := parseOrigin("https://" + s); wrong == nil && !strings.Contains(s, "://") {
			scheme := "https"
			if name, _, _ := strings.Cut(other.host, ":"); name == "localhost" {
				scheme = "http"
			}
			return Origin{}, fmt.Errorf("%s lacks its scheme; write %s://%[1]s", s, scheme)
		}
		given := ""
		if !strings.Contains(s, "@") { // or it may hold a password
			given = strconv.Quote(s) + " "
		}
		return Origin{}, fmt.Errorf(`%sis wrong: %w; write it as "%s", or as "https://example.com/blog" for a folder`,
			given, err, cmp.Or(o.String(), "https://example.com"))
	}
	return o, nil
}

func parseOrigin(s string) (o Origin, err error) {
	u, err := url.Parse(s)
	switch {
	case err != nil:
		return o, errors.New("it is not a URL") // err may hold a password
	case s == "":
		return o, errors.New("it is empty")
	case u.Scheme != "http" && u.Scheme != "https":
		return o, errors.New("it does not begin with http:// or https://")
	case u.User != nil:
		return o, errors.New("a user name stands before the host")
	case u.RawQuery != "" || u.ForceQuery || strings.Contains(s, "#"):
		return o, errors.New("it has a query or a fragment")
	}
	if u.Hostname() == "" {
		return o, errors.New("it has no host")
	}
	if _, err := strconv.ParseUint(cmp.Or(u.Port(), "80"), 10, 16); err != nil {
		return o, fmt.Errorf("there is no port %s, as ports are numbers up to 65535", u.Port())
	}
	host, err := parseHost(u.Host)
	if err != nil {
		return o, err
	}
	o = Origin{u.Scheme, dropPort(host, u.Scheme), "/"}
	o.folder, err = parseFolder(u.EscapedPath())
	return o, err
}

// dropPort removes the port that the scheme implies.
func dropPort(host, scheme string) string {
	if scheme == "http" {
		return strings.TrimSuffix(host, ":80")
	}
	return strings.TrimSuffix(host, ":443")
}

// parseFolder returns the folder that the path of an origin names, with a slash at its end. With an error it returns
// one that may be meant.
func parseFolder(path string) (string, error) {
	if path == "" || path == "/" {
		return "/", nil
	}
	above := path[:strings.LastIndexByte(path, '/')+1]
	if fileName.MatchString(path) {
		return above, fmt.Errorf("its path %q names a file in the folder %q", path, above)
	}
	folder, ok := normalFolder(path)
	if !ok {
		return "/", fmt.Errorf("its path %q is not one that can be listed, %s", path, goodFolder)
	}
	return folder, nil
}

// fileName matches a path whose last segment names a page or a sitemap, and not a folder.
var fileName = regexp.MustCompile(`(?i)\.(?:x?html|htm|xml|php)$`)

// goodFolder says which folders' paths are good.
const goodFolder = "a short one without empty names, dots, sessions, e-mail addresses, queries and broken escapes"

// normalFolder returns the normal form of a folder's path, with a slash at its end. It is not ok if no location may
// begin with that path, or if the path leaves no room for pages below it.
func normalFolder(path string) (folder string, ok bool) {
	folder, reason := normalPath(strings.TrimSuffix(path, "/") + "/")
	return folder, reason == ReasonNone && len(folder) <= maxURL/2
}

// String returns the origin without a trailing slash, such as "https://example.com" or "https://example.com/blog".
func (o Origin) String() string {
	if o.host == "" {
		return ""
	}
	return o.URL(strings.TrimSuffix(o.folder, "/"))
}

// Host returns the host in lower case and punycode. It has a port only if that is not the scheme's
// own.
func (o Origin) Host() string { return o.host }

// Folder returns the path of the public folder, with a slash at both ends: "/" for a whole host,
// else such as "/blog/". Every location starts with it.
func (o Origin) Folder() string { return o.folder }

// Twin returns the origin with "www." added to its host, or removed from it. Many sites answer
// under both, and link from one to the other.
func (o Origin) Twin() Origin {
	host, www := strings.CutPrefix(o.host, "www.")
	if !www {
		host = "www." + o.host
	}
	o.host = host
	return o
}

// WithOtherScheme returns the origin with https in place of http, or http in place of https.
func (o Origin) WithOtherScheme() Origin {
	if o.scheme == "https" {
		o.scheme = "http"
	} else {
		o.scheme = "https"
	}
	return o
}

// URL returns the absolute URL of a location, in ASCII. The location already contains the folder.
func (o Origin) URL(location string) string { return o.scheme + "://" + o.host + location }
