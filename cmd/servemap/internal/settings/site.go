package settings

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/cmd/servemap/internal/folder"
	"github.com/servemap/servemap/cmd/servemap/internal/google"
	"github.com/servemap/servemap/cmd/servemap/internal/upstream"
	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/decide/forwarded"
	"github.com/servemap/servemap/notify"
	"github.com/servemap/servemap/store"
)

// decisions are the names of decisions in a file.
var decisions = map[string]servemap.Decision{
	"": servemap.DecisionUnset, "auto": servemap.DecisionAuto, "always": servemap.DecisionAlways,
	"never": servemap.DecisionNever,
}

// Options returns the library's options for these settings.
func (s *Settings) Options(log *slog.Logger) (*servemap.Options, error) {
	o := &servemap.Options{
		Name: s.Name, Hosts: s.Hosts, Entries: s.Entries, Benign: s.Benign, StrippedPrefix: s.Stripped,
		Query: s.Query, ReportOnly: s.ReportOnly, Crawlers: s.Crawlers, CrawlerRanges: s.Ranges, Logger: log,
		Robots: s.RobotsText,
		Extensions: servemap.Extensions{Alternates: s.Alternates, Images: s.Images, Videos: s.Videos, News: s.News,
			Publication: s.Publication},
		Limits: servemap.Limits{KeepFor: s.KeepFor.Duration, PartPages: s.PartPages, RenderEvery: s.Render.Duration},
	}
	rules, err := s.rules()
	if err != nil {
		return nil, err
	}
	for _, r := range rules {
		o.Rules = append(o.Rules, r.Rule)
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

// ruled is a rule with the setting that says it, in braces as for package words.
type ruled struct {
	servemap.Rule
	by string
}

// rules returns what the settings say of patterns.
func (s *Settings) rules() (rules []ruled, err error) {
	for _, all := range []struct {
		patterns
		ruled
	}{
		{s.Never, ruled{servemap.Rule{List: servemap.DecisionNever}, "{-never}"}},
		{s.Always, ruled{servemap.Rule{List: servemap.DecisionAlways}, "{-always}"}},
		{s.Public, ruled{servemap.Rule{IgnoreCacheControl: true}, "{-public}"}},
	} {
		for _, all.Pattern = range all.patterns {
			rules = append(rules, all.ruled)
		}
	}
	for _, r := range s.Rules {
		list, known := decisions[r.List]
		if !known {
			return nil, wrong("{-rule} %s: has the list %q; it may be always, never or auto", r.Pattern, r.List)
		}
		if strings.Contains(r.Pattern, ",/") {
			return nil, wrong("{-rule} %s: these are several patterns; write a rule for each", r.Pattern)
		}
		rules = append(rules, ruled{servemap.Rule{
			Pattern: r.Pattern, List: list, Query: r.Query, IgnoreCacheControl: r.IgnoreCacheControl,
			ChangeFreq: r.ChangeFreq, Priority: r.Priority, Section: r.Section,
		}, "{-rule}"})
	}
	return rules, nil
}

// Named returns an error of the library, with a setting in place of the number of a rule that the owner did not write.
func (s *Settings) Named(err error) error {
	var bad *eligibility.RuleError
	if !errors.As(err, &bad) {
		return errors.Unwrap(err) // the command needs no name of the package
	}
	rules, _ := s.rules()
	return wrong(rules[bad.Index].by+" %s: %w", bad.Pattern, bad.Err)
}

// Handler returns the site itself.
func (s *Settings) Handler(log *slog.Logger) (http.Handler, error) {
	if s.Folder != "" {
		return folder.New(s.Folder)
	}
	if s.To == "" {
		return nil, wrong("{-to} is missing; give the address where the site itself listens, such as " +
			"{-to=http://localhost:3000}")
	}
	if !slices.Contains([]string{"origin", "upstream"}, s.Host) {
		return nil, wrong("{-host} %s: give origin or upstream", s.Host)
	}
	trusted, err := s.trusted()
	if err != nil {
		return nil, err
	}
	origin, err := url.Parse(s.Origin)
	if err != nil {
		return nil, wrong("{-origin}: %w", err)
	}
	site, err := upstream.New(upstream.Config{To: s.To, Origin: origin, OwnHost: s.Host == "upstream", Trusted: trusted,
		Timeout: s.Timeout.Duration, Log: log})
	if err != nil {
		return nil, wrong("{-to}: %w", err)
	}
	return site, nil
}

// trusted returns the proxies of -trusted-proxies.
func (s *Settings) trusted() (forwarded.Proxies, error) {
	trusted, err := forwarded.Parse(strings.Join(s.Trusted, ","))
	if err != nil {
		return nil, wrong("{-trusted-proxies}: %w", err)
	}
	return trusted, nil
}

// Explored names the settings that decide what exploring finds: whose pages, which are public, and what lists them.
func (s *Settings) Explored() string {
	return fmt.Sprintf("%q %q %q %+v %q", s.Origin, s.Hosts, s.Stripped, s.Pages, s.Sitemaps)
}

// Notifier returns the notifier of a site, nil if search engines are told nothing.
func (s *Settings) Notifier(site *servemap.Site, st store.Store, log *slog.Logger) (*notify.Notifier, error) {
	o := &notify.Options{Key: string(s.Key), Endpoint: s.Endpoint, MaxPerDay: s.PerDay, Logger: log}
	switch {
	case s.GoogleToken != "":
		authorises, err := google.Authorise(s.GoogleToken)
		if err != nil {
			return nil, err
		}
		o.Google = &notify.Google{Client: &http.Client{Transport: authorises, Timeout: time.Minute}, Property: s.Property}
		o.GoogleOnly = !s.IndexNow
	case !s.IndexNow:
		return nil, nil
	}
	n, err := notify.New(site, st, o)
	if err != nil {
		return nil, errors.Unwrap(err) // the command needs no name of the package
	}
	return n, nil
}
