// Package settings has what the owner of a site may say of it, each thing once: as a flag, as a key in a file and
// with its help. It takes these and gives the library's options, the handler of the site and its notifier.
package settings

import (
	"cmp"
	"encoding"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/cmd/servemap/internal/folder"
	"github.com/servemap/servemap/cmd/servemap/internal/upstream"
	"github.com/servemap/servemap/internal/decide/forwarded"
	"github.com/servemap/servemap/internal/page/location"
	"github.com/servemap/servemap/notify"
	"github.com/servemap/servemap/store"
)

// Settings are what the owner says of one site, in the groups of the help. Each is a field of a group, which is its only
// definition: the tag toml is the name of its flag and of its key in a file, comment is its help, arg its value, and
// default and env what stands in its place. One with needs makes no sense without the setting of that name, one with first
// is in the first help, and one with file has no flag.
type Settings struct {
	Serving   `group:"What to serve"`
	Pages     `group:"What is public"`
	Visits    `group:"Visiting the pages"`
	Engines   `group:"Search engines"`
	Operation `group:"Operation"`
}

// Serving says which site is served, and to whom.
type Serving struct {
	Origin   string   `toml:"origin" arg:"URL" first:"1" comment:"the public URL of the site, such as https://example.com; without it this is only for trying, at http://localhost and the port of -listen"`
	To       string   `toml:"to" arg:"URL" first:"1" comment:"where the site itself listens, such as http://localhost:3000 or unix:/run/site.sock"`
	Folder   string   `toml:"folder" file:"1" comment:"the folder of the site's HTML files, in place of to"`
	Listen   string   `toml:"listen" arg:"ADDRESS" first:"1" default:"localhost:8080" comment:"where visitors are served, such as :8080"`
	Host     string   `toml:"host" arg:"WHICH" default:"origin" comment:"the Host that the site gets: origin or upstream"`
	Timeout  duration `toml:"timeout" arg:"DURATION" default:"1m0s" comment:"how long the site may take to begin an answer, such as 30s"`
	Hosts    []string `toml:"hosts" arg:"HOSTS" comment:"other hosts whose requests show pages of the site, such as www.example.com"`
	Stripped string   `toml:"stripped" arg:"PREFIX" comment:"what a server in front cuts off the path, such as /shop, if -origin has a folder"`
	Trusted  []string `toml:"trusted-proxies" arg:"RANGES" first:"1" comment:"the proxies in front whose X-Forwarded-For is true, such as 10.0.0.0/8,127.0.0.1 or private"`
}

// Pages says which pages may be listed.
type Pages struct {
	Never      []string `toml:"never" arg:"PATTERN" first:"1" comment:"locations that are not listed, as in robots.txt, such as /internal/"`
	Always     []string `toml:"always" arg:"PATTERN" first:"1" comment:"locations that are listed once they are seen, such as /landing/*$; exploring asks for one without a star"`
	Public     []string `toml:"public" arg:"PATTERN" first:"1" comment:"locations that are public although they are sent with Cache-Control private or no-store, as those of Rails, PHP sessions and Next.js are"`
	Entries    []string `toml:"entry" arg:"PATH" comment:"where visitors enter the site, in place of /"`
	Query      []string `toml:"query" arg:"NAMES" first:"1" comment:"query parameters that make a page of its own, such as id,lang; page always does"`
	Benign     []string `toml:"benign" arg:"NAMES" first:"1" comment:"cookies that every visitor gets and that are never a log-in, or, with a colon after the name, such headers of a request"`
	RobotsText string   `toml:"robots-text" file:"1" comment:"the host's robots.txt, if another server serves it"`
	ReportOnly bool     `toml:"report-only" comment:"learn and explain, and serve no sitemap"`
	Rules      []rule   `toml:"rule,omitempty" file:"1" comment:"rules for the locations of a pattern"`
}

// Visits says which pages servemap visits itself.
type Visits struct {
	Explore     bool `toml:"explore" first:"1" comment:"at the first start, visit all pages along the links, so that they are listed before they are visited; a folder always is"`
	Inside      bool `toml:"inside" comment:"explore the site itself, even where -origin does not lead to this process; only if no server in front keeps strangers from a page"`
	Revisit     bool `toml:"revisit" comment:"visit pages that no visitor asks for again and again, at most -max a day, so that their changes get a date"`
	Max         int  `toml:"max" arg:"REQUESTS" default:"20000" comment:"how many requests an exploration makes at most"`
	Concurrency int  `toml:"concurrency" arg:"REQUESTS" default:"2" comment:"how many of them run at once at most"`
}

// Engines says what search engines get and are told.
type Engines struct {
	Robots      bool     `toml:"robots" first:"1" comment:"name the sitemap in the site's robots.txt, and serve one if the site has none"`
	IndexNow    bool     `toml:"indexnow" first:"1" comment:"tell Bing, Yandex and others what changed, by IndexNow; the key is made and kept with what is learned"`
	Endpoints   []string `toml:"indexnow-endpoint" needs:"indexnow" arg:"URL" comment:"whom to tell in place of api.indexnow.org"`
	Key         secret   `toml:"indexnow-key" file:"1" env:"SERVEMAP_INDEXNOW_KEY" comment:"a key of your own for IndexNow"`
	PerDay      int      `toml:"indexnow-per-day" arg:"PAGES" default:"10000" comment:"how many pages IndexNow is told of a day at most"`
	Property    string   `toml:"google-property" needs:"google-token" arg:"NAME" comment:"the site as Search Console names it, such as sc-domain:example.com; by default one that the account of -google-token may change"`
	GoogleToken string   `toml:"google-token" arg:"FILE" comment:"the file with what may submit the sitemap to Search Console: the JSON key of a service account that is a user of the property, or an access token that another program renews"`
	Crawlers    bool     `toml:"crawlers" comment:"follow what search engines fetch; this asks the DNS whose their addresses are"`
	Ranges      string   `toml:"crawler-ranges" needs:"crawlers" arg:"DIR" comment:"lists of addresses as engines publish them, such as GPTBot.json"`
	Name        string   `toml:"name" arg:"NAME" default:"sitemap" comment:"the sitemap's file name without .xml"`
	Alternates  bool     `toml:"alternates" comment:"add a page's versions in other languages to the sitemap"`
	Images      bool     `toml:"images" comment:"add the images of pages"`
	Videos      bool     `toml:"videos" comment:"add the videos of pages"`
	News        bool     `toml:"news" comment:"serve sitemap-news.xml with the articles of the last two days"`
	Publication string   `toml:"publication" arg:"NAME" comment:"the name of the newspaper in that file"`
}

// Operation says how the process runs, and where it keeps what it learns.
type Operation struct {
	Data      string     `toml:"data" arg:"DIR" first:"1" comment:"the folder for what is learned; keep it"`
	Reserve   int        `toml:"reserve" arg:"MIB" comment:"how many MiB of that folder's disk stay free; by default a tenth of the disk, from 24 to 512"`
	Database  secret     `toml:"database" arg:"URL" env:"SERVEMAP_DATABASE" comment:"the postgres:// URL of a database for what is learned, for several processes"`
	Table     string     `toml:"table" needs:"database" arg:"NAME" comment:"the table in that database, also as SCHEMA.NAME; by default servemap"`
	Admin     string     `toml:"admin" arg:"ADDRESS" first:"1" comment:"an address for /healthz, /metrics and the inspector, by a link that the log has, such as 127.0.0.1:9090; by default none"`
	Password  secret     `toml:"admin-password" needs:"admin" arg:"TEXT" first:"1" env:"SERVEMAP_ADMIN_PASSWORD" comment:"open the inspector and /metrics to the user admin with this password, in place of the link; for other machines and containers"`
	Log       string     `toml:"log" arg:"FORM" first:"1" comment:"the form of the log: people, text or json; by default people in a terminal, and else text"`
	Level     slog.Level `toml:"log-level" arg:"LEVEL" comment:"the least that is logged: debug, info, warn or error"`
	KeepFor   duration   `toml:"keep-for" arg:"DURATION" default:"2160h0m0s" comment:"how long a listed page stays while nobody gets it"`
	PartPages int        `toml:"part-pages" arg:"PAGES" default:"50000" comment:"the most pages of one file of the sitemap"`
	Render    duration   `toml:"render-every" arg:"DURATION" default:"5s" comment:"the least time between two renderings of the sitemap"`
}

// rule is a [servemap.Rule] in a file.
type rule struct {
	Pattern            string   `toml:"pattern"`
	List               string   `toml:"list"` // always, never or auto
	Query              []string `toml:"query"`
	IgnoreCacheControl bool     `toml:"ignore-cache-control"`
	ChangeFreq         string   `toml:"changefreq"`
	Priority           float64  `toml:"priority"`
}

// secret is a text that is never printed.
type secret string

// duration is a time in a file, such as "30s".
type duration struct{ time.Duration }

// UnmarshalText reads what [time.ParseDuration] does.
func (d *duration) UnmarshalText(text []byte) (err error) {
	if d.Duration, err = time.ParseDuration(string(text)); err != nil || d.Duration <= 0 {
		return errors.New("give a time above 0 with its unit, such as 30s")
	}
	return nil
}

// MarshalText writes what UnmarshalText reads.
func (d duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// Each calls fn with each setting.
func (s *Settings) Each(fn func(group string, f reflect.StructField, v reflect.Value)) {
	all := reflect.ValueOf(s).Elem()
	for i := range all.NumField() {
		group, in := all.Type().Field(i), all.Field(i)
		for j := range in.NumField() {
			fn(group.Tag.Get("group"), in.Type().Field(j), in.Field(j))
		}
	}
}

// Fill gives the settings that were not made their defaults.
func (s *Settings) Fill() {
	s.Each(func(_ string, f reflect.StructField, v reflect.Value) {
		if text := cmp.Or(os.Getenv(f.Tag.Get("env")), f.Tag.Get("default")); text != "" && v.IsZero() {
			_ = Flag{v, f, ""}.Set(text) // a test sets all defaults
		}
	})
}

// Flags declares a flag for each setting that a command has.
func (s *Settings) Flags(fs *flag.FlagSet, has func(group, name string) bool) {
	s.Each(func(group string, f reflect.StructField, v reflect.Value) {
		name, file := f.Tag.Get("toml"), f.Tag.Get("file") != ""
		if !file && has(group, name) {
			fs.Var(Flag{v, f, group}, name, strings.Replace(f.Tag.Get("comment"), "`", "", -1))
		}
	})
}

// Flag is a setting as a flag.
type Flag struct {
	reflect.Value
	Field reflect.StructField
	Group string
}

func (v Flag) String() string { return v.Field.Tag.Get("default") }

// IsBoolFlag lets a switch stand without a value.
func (v Flag) IsBoolFlag() bool { return v.Field.Type != nil && v.Field.Type.Kind() == reflect.Bool }

// Set sets the setting to a text. A list grows by it.
func (v Flag) Set(text string) error {
	to := v.Addr().Interface()
	if u, ok := to.(encoding.TextUnmarshaler); ok {
		return u.UnmarshalText([]byte(text))
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(text)
	case reflect.Bool:
		on, err := strconv.ParseBool(text)
		if err != nil {
			return errors.New("give true or false")
		}
		v.SetBool(on)
	case reflect.Int:
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return errors.New("it must be a number above 0")
		}
		v.SetInt(int64(n))
	default:
		list := to.(*[]string)
		*list = append(*list, v.split(text)...)
	}
	return nil
}

// isPattern reports whether a setting has beginnings of locations.
func isPattern(f reflect.StructField) bool { return strings.HasPrefix(f.Tag.Get("arg"), "PA") }

// split returns the values of a list that one flag gives. A comma within a location stays.
func (v Flag) split(text string) (all []string) {
	for part := range strings.SplitSeq(text, ",") {
		if isPattern(v.Field) && len(all) > 0 && !strings.HasPrefix(part, "/") && !strings.HasPrefix(part, "*") {
			all[len(all)-1] += "," + part
		} else if part = strings.TrimSpace(part); part != "" {
			all = append(all, part)
		}
	}
	return all
}

// Check says which setting is wrong. The origin may still be missing.
func (s *Settings) Check() (err error) {
	given := map[string]bool{}
	s.Each(func(_ string, f reflect.StructField, v reflect.Value) { given[f.Tag.Get("toml")] = !v.IsZero() })
	s.Each(func(_ string, f reflect.StructField, v reflect.Value) {
		name, needs := f.Tag.Get("toml"), f.Tag.Get("needs")
		if given[name] && needs != "" && !given[needs] {
			err = fmt.Errorf("-%s needs -%s", name, needs)
		}
		list, _ := v.Interface().([]string)
		for _, p := range list {
			if isPattern(f) && !strings.HasPrefix(p, "/") && !strings.HasPrefix(p, "*") {
				err = fmt.Errorf("-%s %s: it must begin with / or *, such as /blog/", name, p)
			}
		}
	})
	if err != nil {
		return err
	}
	if _, err := location.ParseOrigin(s.Origin); err != nil && s.Origin != "" { // else the address says it
		return fmt.Errorf("-origin: %v", err)
	}
	if s.Folder != "" && s.To != "" {
		return errors.New("give -to or a folder, not both")
	}
	if s.Data != "" && s.Folder != "" && folder.Serves(s.Folder, s.Data) {
		return fmt.Errorf("-data %s is in the folder that is served, so visitors could fetch what is learned; give a folder outside it, or one whose name begins with a dot", s.Data)
	}
	return nil
}

// flags stand in place of the options that an error of the library names.
var flags = strings.NewReplacer("servemap: ", "", "notify: ", "", "options: ", "", ", or 0 for the default", "",
	"Hosts:", "-hosts:", "StrippedPrefix", "-stripped", "Options.CrawlerRanges", "-crawler-ranges", "Name \"", "-name \"",
	"Limits.PartPages", "-part-pages", "Limits.KeepFor", "-keep-for", "Limits.RenderEvery", "-render-every", "MaxPerDay", "-indexnow-per-day",
	"Extensions: Publication", "-publication", "that News adds; set that too", "that -news adds; give that too")

// InFlags returns an error of the library in the words of the command.
func InFlags(err error) error { return errors.New(flags.Replace(err.Error())) }

// decisions are the names of decisions in a file.
var decisions = map[string]servemap.Decision{
	"": servemap.DecisionUnset, "auto": servemap.DecisionAuto, "always": servemap.DecisionAlways, "never": servemap.DecisionNever,
}

// Options returns the library's options for these settings.
func (s *Settings) Options(log *slog.Logger) (*servemap.Options, error) {
	o := &servemap.Options{
		Name: s.Name, Hosts: s.Hosts, Entries: s.Entries, Benign: s.Benign, StrippedPrefix: s.Stripped, ReportOnly: s.ReportOnly, Crawlers: s.Crawlers, CrawlerRanges: s.Ranges, Logger: log,
		Robots:     s.RobotsText,
		Extensions: servemap.Extensions{Alternates: s.Alternates, Images: s.Images, Videos: s.Videos, News: s.News, Publication: s.Publication},
		Limits:     servemap.Limits{KeepFor: s.KeepFor.Duration, PartPages: s.PartPages, RenderEvery: s.Render.Duration},
	}
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
	for _, r := range s.Rules {
		list, known := decisions[r.List]
		if !known {
			return nil, fmt.Errorf("the rule for %s has the list %q; it may be always, never or auto", r.Pattern, r.List)
		}
		o.Rules = append(o.Rules, servemap.Rule{Pattern: r.Pattern, List: list, Query: r.Query, IgnoreCacheControl: r.IgnoreCacheControl, ChangeFreq: r.ChangeFreq, Priority: r.Priority})
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

// Handler returns the site itself.
func (s *Settings) Handler(log *slog.Logger) (http.Handler, error) {
	if s.Folder != "" {
		return folder.New(s.Folder)
	}
	if s.To == "" {
		return nil, fmt.Errorf("-to is missing; give the address where the site itself listens, such as -to http://localhost:3000")
	}
	if !slices.Contains([]string{"origin", "upstream"}, s.Host) {
		return nil, fmt.Errorf("-host %s: give origin or upstream", s.Host)
	}
	trusted, err := s.trusted()
	if err != nil {
		return nil, err
	}
	origin, err := url.Parse(s.Origin)
	if err != nil {
		return nil, fmt.Errorf("-origin: %v", err)
	}
	site, err := upstream.New(upstream.Config{To: s.To, Origin: origin, OwnHost: s.Host == "upstream", Trusted: trusted, Timeout: s.Timeout.Duration, Log: log})
	if err != nil {
		return nil, fmt.Errorf("-to: %v", err)
	}
	return site, nil
}

// trusted returns the proxies of -trusted-proxies.
func (s *Settings) trusted() (forwarded.Proxies, error) {
	trusted, err := forwarded.Parse(strings.Join(s.Trusted, ","))
	if err != nil {
		return nil, fmt.Errorf("-trusted-proxies: %v", err)
	}
	return trusted, nil
}

// Explored names the settings that decide what exploring finds.
func (s *Settings) Explored() string { return fmt.Sprintf("%q %q %q", s.Query, s.Public, s.Benign) }

// Notifier returns the notifier of a site, nil if search engines are told nothing.
func (s *Settings) Notifier(site *servemap.Site, st store.Store, log *slog.Logger) (*notify.Notifier, error) {
	o := &notify.Options{Key: string(s.Key), Endpoints: s.Endpoints, MaxPerDay: s.PerDay, Logger: log}
	switch {
	case s.GoogleToken != "":
		authorises, err := google(s.GoogleToken)
		if err != nil {
			return nil, err
		}
		o.Google = &notify.Google{Client: &http.Client{Transport: authorises, Timeout: time.Minute}, Property: s.Property}
		if !s.IndexNow {
			o.Endpoints = []string{} // nobody
		}
	case !s.IndexNow:
		return nil, nil
	}
	n, err := notify.New(site, st, o)
	if err != nil {
		return nil, InFlags(err)
	}
	return n, nil
}
