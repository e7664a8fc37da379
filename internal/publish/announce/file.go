// Package announce adds the address of a sitemap to the robots.txt that a handler serves.
// It takes the handler's answer to one request and sends it on with Sitemap lines. It must
// never change what the file allows and disallows. If it is not sure of an answer, it sends
// it on unchanged.
package announce

import (
	"bytes"
	"iter"
	"net/url"
	"strings"

	"github.com/servemap/servemap/internal/page/robots"
)

// MaxFile is how many bytes of a robots.txt every crawler reads (RFC 9309, section 2.5). If
// the Sitemap lines would push others beyond it, they are not added.
const MaxFile = 500 << 10

const bom = "\xef\xbb\xbf"

// Add returns a robots.txt with a Sitemap line for each of the URLs that it does not name
// yet. ok is false if the file stays as it is: it names them all, its encoding does not
// contain ASCII, or it would get too long. Add puts the lines first, behind a byte order
// mark. There no crawler cuts them off, they cannot continue an unfinished line, and they
// belong to no group.
func Add(file []byte, urls []string) (added []byte, ok bool) {
	if bytes.IndexByte(file, 0) >= 0 || bytes.HasPrefix(file, []byte{0xff, 0xfe}) ||
		bytes.HasPrefix(file, []byte{0xfe, 0xff}) {
		return nil, false // UTF-16, or not text
	}
	missing := Unnamed(robots.Sitemaps(file), urls)
	if len(missing) == 0 {
		return nil, false
	}
	rest, marked := bytes.CutPrefix(file, []byte(bom))
	if marked {
		added = append(added, bom...)
	}
	added = append(added, "# Added by servemap:\nSitemap: "+strings.Join(missing, "\nSitemap: ")+"\n"...)
	if len(rest) > 0 {
		added = append(append(added, '\n'), rest...)
	}
	return added, len(added) <= MaxFile
}

// Unnamed returns the URLs that none of the Sitemap lines of a robots.txt names. lines are
// their values.
func Unnamed(lines iter.Seq[string], urls []string) []string {
	named := map[string]bool{}
	for value := range lines {
		named[plain(value)] = true
	}
	var missing []string
	for _, u := range urls {
		if !named[plain(u)] {
			missing = append(missing, u)
		}
	}
	return missing
}

// plain returns what all spellings of one file's URL have in common. The owner may name it
// by another scheme, with or without "www.", or compressed. Crawlers do not follow a URL
// without a host.
func plain(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return ""
	}
	port := u.Port()
	if port == "80" || port == "443" {
		port = ""
	}
	host := strings.TrimPrefix(strings.ToLower(u.Hostname()), "www.")
	return host + ":" + port + strings.TrimSuffix(u.Path, ".gz") + "?" + u.RawQuery
}
