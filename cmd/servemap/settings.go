package main

import (
	"errors"
	"flag"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/cmd/servemap/internal/folder"
	"github.com/servemap/servemap/cmd/servemap/internal/upstream"
	"github.com/servemap/servemap/internal/decide/forwarded"
	"github.com/servemap/servemap/internal/page/location"
)

// settings describe the site.
type settings struct {
	Origin, Trusted, Stripped                     string
	Never, Always, Public, Entries, Query, Benign []string
	ReportOnly, Crawlers                          bool
	Inside                                        bool // exploring asks the site itself, not the origin
	place
}

// place says where the site itself is: an upstream, or a folder.
type place struct {
	To, Host, Dir string
	timeout       time.Duration // of an upstream
}

// flags declares the flags that describe the site.
func (s *settings) flags(fs *flag.FlagSet) {
	fs.StringVar(&s.Origin, "origin", "", "the public `URL` of the site, such as https://example.com; without it this is only for trying, at http://localhost and the port of -listen")
	list := func(to *[]string, name, text string) {
		fs.Func(name, text+"; may be given more than once", func(v string) error {
			// A text with `PATTERN or `PATH asks for the beginning of a location.
			if strings.Contains(text, "`PA") && !strings.HasPrefix(v, "/") && !strings.HasPrefix(v, "*") {
				return errors.New("it must begin with / or *, such as /blog/")
			}
			*to = append(*to, v)
			return nil
		})
	}
	list(&s.Never, "never", "`PATTERN` of locations that are not listed, as in robots.txt, such as /internal/")
	list(&s.Always, "always", "`PATTERN` of locations that are listed once they are seen, such as /landing/*$; exploring asks for one without a star")
	list(&s.Public, "public", "`PATTERN` of locations that are public although they are sent with Cache-Control private or no-store, as those of Rails, PHP sessions and Next.js are")
	list(&s.Entries, "entry", "`PATH` where visitors enter the site, in place of /")
	fs.Func("query", "`NAMES` of query parameters that make a page of its own, such as id or id,lang; page always does; may be given more than once", func(v string) error {
		s.Query = append(s.Query, strings.Split(v, ",")...)
		return nil
	})
	list(&s.Benign, "benign", "`NAME` of a cookie that every visitor gets and that is never a log-in, or, with a colon after it, of such a header of a request")
	fs.StringVar(&s.Trusted, "trusted-proxies", "", "the `RANGES` of proxies in front whose X-Forwarded-For is true, such as 10.0.0.0/8,127.0.0.1 or private")
	fs.StringVar(&s.Stripped, "stripped", "", "the `PREFIX` that a server in front cuts off the path, such as /shop, if -origin has a folder")
	fs.BoolVar(&s.Crawlers, "crawlers", false, "follow what search engines fetch; this asks the DNS whose their addresses are")
	insideFlag(fs, &s.Inside)
	fs.BoolVar(&s.ReportOnly, "report-only", false, "learn and explain, and serve no sitemap")
}

// insideFlag declares the flag by which the owner says that nothing in front keeps strangers out.
func insideFlag(fs *flag.FlagSet, to *bool) {
	fs.BoolVar(to, "inside", false, "explore the site itself, even where -origin does not lead to this process; only if no server in front keeps strangers from a page")
}

// proxyFlags declares the flags of an upstream.
func (p *place) proxyFlags(fs *flag.FlagSet) {
	fs.StringVar(&p.To, "to", "", "the `URL` where the site itself listens, such as http://localhost:3000 or unix:/run/site.sock")
	fs.StringVar(&p.Host, "host", "origin", "the Host that the site gets: `origin` or upstream")
	fs.DurationVar(&p.timeout, "timeout", upstream.DefaultTimeout, "how long the site may take to begin an answer, such as 30s")
}

// check says which flag is missing or wrong.
func (s *settings) check() error {
	if _, err := location.ParseOrigin(s.Origin); err != nil {
		return usage("-origin: %v", err)
	}
	return nil
}

// options returns the library's options for these settings.
func (s *settings) options(log *slog.Logger) (*servemap.Options, error) {
	o := &servemap.Options{Entries: s.Entries, Benign: s.Benign, StrippedPrefix: s.Stripped, ReportOnly: s.ReportOnly, Crawlers: s.Crawlers, Logger: log}
	for _, group := range []struct {
		patterns []string
		rule     servemap.Rule
	}{
		{s.Never, servemap.Rule{List: servemap.DecisionNever}},
		{s.Always, servemap.Rule{List: servemap.DecisionAlways}},
		{s.Public, servemap.Rule{IgnoreCacheControl: true}},
	} {
		for _, p := range group.patterns {
			group.rule.Pattern = p
			o.Rules = append(o.Rules, group.rule)
		}
	}
	if len(s.Query) > 0 { // a rule adds to the default; Options.Query would replace it
		o.Rules = append(o.Rules, servemap.Rule{Pattern: "/", Query: s.Query})
	}
	trusted, err := s.trusted()
	if err != nil {
		return nil, err
	}
	if len(trusted) > 0 {
		o.ClientIP = trusted.Client
	}
	return o, nil
}

// handler returns the site itself.
func (s *settings) handler(log *slog.Logger) (http.Handler, error) {
	if s.Dir != "" {
		site, err := folder.New(s.Dir)
		if err != nil {
			return nil, usage("%v", err)
		}
		return site, nil
	}
	if s.To == "" {
		return nil, usage("-to is missing; give the address where the site itself listens, such as -to http://localhost:3000")
	}
	if !slices.Contains([]string{"", "origin", "upstream"}, s.Host) {
		return nil, usage("-host %s: give origin or upstream", s.Host)
	}
	trusted, err := s.trusted()
	if err != nil {
		return nil, err
	}
	origin, err := url.Parse(s.Origin)
	if err != nil {
		return nil, usage("-origin: %v", err)
	}
	site, err := upstream.New(upstream.Config{To: s.To, Origin: origin, OwnHost: s.Host == "upstream", Trusted: trusted, Timeout: s.timeout, Log: log})
	if err != nil {
		return nil, usage("-to: %v", err)
	}
	return site, nil
}

// trusted returns the proxies of -trusted-proxies.
func (s *settings) trusted() (forwarded.Proxies, error) {
	trusted, err := forwarded.Parse(s.Trusted)
	if err != nil {
		return nil, usage("-trusted-proxies: %v", err)
	}
	return trusted, nil
}
