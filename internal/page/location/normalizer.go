package location

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/servemap/servemap/internal/page/words"
)

// Config holds the settings of a Normalizer, besides the origin. The zero Config is ready for use.
type Config struct {
	// Hosts are the hosts that count beside the origin's, with or without port, in any case. A default port (80 or 443)
	// and a trailing dot make no difference. Requests may also have what a proxy on the same machine or network sends
	// instead: IP addresses, "localhost" and other names of a single label.
	Hosts []string
	// StrippedPrefix is the start of the public path that a proxy removes before the request
	// arrives. With "/app", the request for "/docs" has the location "/app/docs". Links are public
	// and stay as they are. Empty means none.
	StrippedPrefix string
	// Params are the keys of query parameters that select another page, whatever their values, even if one looks like
	// a tracking parameter. "page" does so anyway, with a number or a short word.
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
	origin Origin
	root   *url.URL // of the origin's host
	prefix string
	params map[string]bool
	more   func(path string) []string
	hosts  map[string]bool // the origin's and those given, as hostKey returns them
}

// New returns a Normalizer for the origin. It keeps nothing of cfg but More. An error names the wrong
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
	n := &Normalizer{origin: origin, prefix: prefix, params: params, more: cfg.More}
	n.root = &url.URL{Scheme: origin.scheme, Host: origin.host, Path: "/"}
	n.hosts = map[string]bool{hostKey(origin.host): true}
	for _, h := range cfg.Hosts {
		host, err := parseHost(h)
		if err != nil {
			if o, wrong := parseOrigin(h); wrong == nil {
				err = fmt.Errorf("%q is an address; write its host, %q", h, o.host)
			}
			return nil, fmt.Errorf("%s: %w", words.Say("{Hosts}"), err)
		}
		n.hosts[hostKey(host)] = true
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
	named := n.Names(host)
	// Proxies are sent the host too. Package http takes the request's Host from there.
	target := strings.TrimPrefix(strings.TrimPrefix(requestURI, "http://"+host), "https://"+host)
	switch {
	case len(requestURI) > maxInput:
		return Result{Reason: ReasonTooLong}
	case !named && !isLocal(host):
		return Result{Reason: ReasonHost}
	case !strings.HasPrefix(target, "/") || strings.Contains(target, "#"):
		return Result{Reason: ReasonForm}
	}
	path, query, _ := strings.Cut(target, "?")
	r := n.locate(prefix+path, query, false)
	r.Local = !named
	return r
}

// Ours reports whether a host counts as the site's in a request. nearby says that a proxy nearby may have sent it.
func (n *Normalizer) Ours(host string, nearby bool) bool {
	return n.Names(host) || nearby && isLocal(host)
}

// locate applies the rules for a path and for a query, and joins the two. link says that they come from a link, not
// from a request.
func (n *Normalizer) locate(path, query string, link bool) Result {
	path, reason := normalPath(path)
	if reason != ReasonNone {
		return Result{Reason: reason}
	}
	if !strings.HasPrefix(path, n.origin.Folder()) {
		return Result{Reason: ReasonOutsideFolder}
	}
	if query == "" {
		return n.fit(Result{Location: path})
	}
	return n.fit(n.withQuery(path, query, link))
}

// fit refuses a location whose URL is too long.
func (n *Normalizer) fit(r Result) Result {
	if len(n.origin.scheme)+len("://")+len(n.origin.host)+len(r.Location) > maxURL {
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
		return "", fmt.Errorf(words.Say("{Stripped} %q does not start with a slash; write %q"), s, "/"+s)
	}
	prefix, ok := normalFolder(s)
	if !ok {
		return "", fmt.Errorf(words.Say("{Stripped} %q is not a path that can be listed, %s"), s, goodFolder)
	}
	return strings.TrimSuffix(prefix, "/"), nil
}
