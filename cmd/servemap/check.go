package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/cmd/servemap/internal/check"
	"github.com/servemap/servemap/cmd/servemap/internal/check/address"
	"github.com/servemap/servemap/cmd/servemap/internal/check/pages"
	"github.com/servemap/servemap/cmd/servemap/internal/check/report"
	"github.com/servemap/servemap/cmd/servemap/internal/control"
	"github.com/servemap/servemap/cmd/servemap/internal/settings"
	"github.com/servemap/servemap/cmd/servemap/internal/terminal"
	"github.com/servemap/servemap/internal/page/location"
	"github.com/servemap/servemap/internal/page/words"
)

// checking has the flags of check.
type checking struct {
	streams
	asking
	check.Config
	all, crawl bool
	origin     string
	out        outFiles
	fail       failing
	flags      *flag.FlagSet
}

func checkCommand(s streams, fs *flag.FlagSet) func(context.Context, string) error {
	c := &checking{streams: s, flags: fs}
	fs.BoolVar(&c.json, "json", false, "print JSON: each finding an object a line, and a summary as the last")
	fs.BoolVar(&c.all, "all", false, "show every finding, up to 1,000 of each kind, and not only the first three (fifty "+
		"in a file)")
	fs.IntVar(&c.Pages, "pages", 0, "how many of the listed `PAGES` are read; by default 20, and up to 200 if they are "+
		"answered fast")
	fs.Uint64Var(&c.Seed, "seed", 1, "a `NUMBER` that decides which pages are read: the same ones for the same number")
	fs.StringVar(&c.origin, "origin", "",
		"the site's public `URL`, where the sitemap is read from another server, such as the one behind a proxy")
	fs.Var(&c.out, "out", "write the report to a `FILE` besides: .html for a client, .md, .csv or .json; more by one -out each")
	fs.BoolVar(&c.crawl, "crawl", false,
		"crawl the site too, and say which links within it are broken, which linked pages are not listed, and which listed "+
			"ones nobody links to")
	c.fail.flag(fs, "such as noindex or, with -crawl, broken-link,missing, as -json and .csv name them; all for any finding")
	fs.StringVar(&c.data, "data", "", "compare the dates with what servemap observed, as the `DIR` of proxy, files, run "+
		"or crawl has it")
	fs.DurationVar(&c.Time, "time", 5*time.Minute, "how `LONG` the check may take at most, such as 90s or 10m; 0 for no bound")
	fs.Lookup("time").DefValue = "5m"
	return c.run
}

// refuse refuses a flag that would do nothing: an empty one, such as a variable of a CI that is not set, or nothing of
// something.
func (c *checking) refuse(f *flag.Flag) error {
	switch {
	case f.Value.String() == "":
		return usage("-%s is empty; give a value, or leave it out", f.Name)
	case f.Name == "pages" && c.Pages < 1, f.Name == "time" && c.Time < 0:
		return usage("-%s %s: give more than 0, or leave it out", f.Name, f.Value)
	case f.Name == "origin" && !address.IsRoot(c.Origin):
		return usage("-origin %s: give it without a path, as %s", f.Value, address.Site(c.Origin))
	}
	return nil
}

// needed are the kinds of findings that only a flag has looked for, by that flag.
var needed = map[string]string{"broken-link": "crawl", "broken-everywhere": "crawl", "moved-link": "crawl",
	"missing": "crawl", "orphan": "crawl",
	"seen-moved": "data", "seen-changed": "data"}

// writers write a report to a file, by the ending of its name.
var writers = map[string]func(*report.Report, io.Writer, bool) error{
	".html": (*report.Report).HTML,
	".md":   (*report.Report).Markdown,
	".csv":  func(r *report.Report, w io.Writer, _ bool) error { return r.CSV(w) },
	".json": func(r *report.Report, w io.Writer, _ bool) error { return r.Document(w) },
}

func (c *checking) run(ctx context.Context, name string) error {
	at, bare, err := addressOf(name)
	if c.URL = at; err == nil && c.origin != "" {
		if c.Origin, _, err = addressOf(c.origin); err == nil && !strings.Contains(c.Origin.Host, ".") &&
			!strings.Contains(c.origin, "://") {
			err = usage("-origin %s: give the site's public URL, such as https://example.com", c.origin)
		}
	}
	if err == nil {
		c.flags.Visit(func(f *flag.Flag) { err = cmp.Or(err, c.refuse(f)) })
	}
	if err == nil {
		err = c.fail.check(report.Names())
	}
	if err != nil {
		return err
	}
	for _, kind := range c.fail.kinds() { // else it would pass whatever the site has
		if needs := needed[kind]; needs == "crawl" && !c.crawl || needs == "data" && c.data == "" {
			return usage("-fail %s needs -%s, which alone looks for that", kind, needs)
		}
	}
	if c.data != "" {
		if c.Seen, err = c.seen(ctx); err != nil {
			return err
		}
		if err := c.ofSite(at); err != nil {
			return err
		}
	}
	defer func() {
		for _, f := range c.out {
			if f.dir != nil {
				_ = f.dir.Close()
			}
		}
	}()
	for i, f := range c.out {
		if writers[f.form()] == nil {
			return usage("-out %s: give a name that ends in .html, .md, .csv or .json", f.name)
		}
		if c.out[i].dir, err = openOut(f.name); err != nil {
			return err
		}
	}
	if c.crawl {
		c.Linked = c.linked
	}
	r, err := check.Run(ctx, c.Config)
	if r == nil {
		return err
	}
	c.flags.Visit(func(f *flag.Flag) { r.Options = strings.TrimSpace(r.Options + option(f)) })
	if err == nil || len(r.Files) > 0 || c.json || len(c.out) > 0 { // else the error says it all
		if err := c.write(r); err != nil {
			return err
		}
	}
	end := result(r, err, bare, at.Host, c.fail)
	if e := (exit{}); c.json && err != nil && errors.As(end, &e) { // the JSON says why
		return exit{code: e.code}
	}
	return end
}

// result says how the command ends, by what the check found or why it found nothing.
func result(r *report.Report, err error, bare bool, host string, fail failing) error {
	switch {
	case errors.Is(err, check.ErrNone):
		return exit{codeNo, err.Error() + ". " + report.Remedy("no-sitemap")}
	case err != nil && len(r.Files) == 0:
		return exit{codeFailed, mendable(err, bare, host).Error()}
	case r.Faults > 0 || fail.why(r.Groups) != "":
		faults := ""
		if r.Faults > 0 {
			faults = strings.ToLower(r.Headline())
		}
		return endNo(faults, fail.why(r.Groups))
	case err == nil && len(fail) > 0 && len(r.Limits) > 0:
		return exit{codeNo, "whether there is what -fail names is not known: " + r.Limits[0]}
	case err == nil && r.Unread():
		return errors.New("no page could be checked")
	}
	return err
}

// failing are the kinds and levels of findings after which a command ends with the exit code "no": of each -fail a
// text, with commas between.
type failing []string

func (f *failing) flag(fs *flag.FlagSet, which string) {
	fs.Var(f, "fail", "end with exit code 3 for these `KINDS` too, "+which)
}

// Set is for [flag.Value]. Each -fail adds its kinds.
func (f *failing) Set(text string) error { *f = append(*f, strings.Trim(text, ", ")); return nil }

// String is for [flag.Value].
func (f *failing) String() string { return strings.Join(*f, ",") }

func (f failing) kinds() []string {
	return strings.FieldsFunc(f.String(), func(c rune) bool { return c == ',' || c == ' ' })
}

// check refuses an empty text, and a kind that the command never finds. It names those that may be meant, or all.
func (f failing) check(names []string) error {
	if slices.Contains(f, "") {
		return usage("-fail is empty; give a value, or leave it out")
	}
	all := "The kinds are " + strings.Join(names, ", ") + ", and all for any of them."
	for _, kind := range f.kinds() {
		words := strings.Split(kind, "-")
		alike := slices.DeleteFunc(slices.Clone(names), func(name string) bool { // as moved-link for redirect-link
			return !slices.ContainsFunc(strings.Split(name, "-"), func(w string) bool { return slices.Contains(words, w) })
		})
		switch {
		case slices.Contains(names, kind), kind == "all":
			continue
		case slices.Contains(report.Names(), kind):
			return usage("%s", report.Wrap("-fail "+kind+": only servemap check finds that. "+all, "", 120))
		case len(alike) > 0:
			all = "Did you mean " + strings.Join(alike, " or ") + "?"
		}
		says := "-fail " + kind + ": there is no such kind of finding. " + settings.Meant(kind, names, all)
		return usage("%s", report.Wrap(says, "", 120))
	}
	return nil
}

// endNo ends a command with "no", and says for which of two reasons, or for both.
func endNo(reasons ...string) error {
	reasons = slices.DeleteFunc(reasons, func(why string) bool { return why == "" })
	return exit{codeNo, fmt.Sprintf("exit code %d: %s", codeNo, strings.Join(reasons, ", and "))}
}

// why says for what of all that was found -fail ends the command with "no", "" for nothing.
func (f failing) why(found []report.Group) string {
	var meant []string // kinds, in order
	count := map[string]int{}
	for _, g := range found {
		names := func(k string) bool { return k == g.Kind || g.Level != "" && (k == g.Level || k == "all") }
		if slices.ContainsFunc(f.kinds(), names) {
			if count[g.Kind] == 0 {
				meant = append(meant, g.Kind)
			}
			count[g.Kind] += g.Count
		}
	}
	if len(meant) == 0 {
		return ""
	}
	for i, kind := range meant {
		meant[i] = fmt.Sprintf("%s (%s)", kind, words.Number(count[kind]))
	}
	return fmt.Sprintf("-fail %s found %s", f.String(), strings.Join(meant, ", "))
}

// outFiles are the files of -out.
type outFiles []outFile

type outFile struct {
	name string
	dir  *os.Root
}

func (f outFile) form() string { return strings.ToLower(filepath.Ext(f.name)) }

// Set is for [flag.Value]. Each -out adds a file.
func (o *outFiles) Set(name string) error { *o = append(*o, outFile{name: name}); return nil }

// String is for [flag.Value].
func (o *outFiles) String() (names string) {
	for _, f := range *o {
		names += f.name + ", "
	}
	return strings.TrimSuffix(names, ", ")
}

// option writes a flag as it was given, "" for one that only says where the report goes, or where a folder of one's own
// is.
func option(f *flag.Flag) string {
	switch f.Name {
	case "json", "out", "data", "fail":
		return ""
	case "all", "crawl":
		return " -" + f.Name
	}
	return " -" + f.Name + " " + f.Value.String()
}

// addressOf reads a URL. bare says that it had no scheme.
func addressOf(given string) (at *url.URL, bare bool, err error) {
	text, bare := withScheme(given)
	at, err = url.Parse(text)
	begin := begins.FindStringSubmatch(given)
	switch {
	case given == "":
		return nil, false, usage("give the URL of a site or of a sitemap, such as https://example.com")
	case strings.Contains(text, "@") && (err != nil || at.User != nil): // so it may hold a password
		return nil, false, usage("the address has a user; give it without, such as https://example.com")
	case !strings.Contains(given, "://") && isFile(given):
		return nil, false, usage("%s is a file or a folder; give the URL of a site, such as https://example.com. Check reads "+
			"a sitemap from a server, such as your own: give its URL there, and -origin", given)
	case begin != nil && begin[2] != "" && begin[2] != "://":
		return nil, false, usage("%s is no URL; did you mean %s?", given, begins.ReplaceAllString(given, "$1://"))
	case err == nil && at.Scheme != "http" && at.Scheme != "https":
		return nil, false, usage("%s does not begin with http:// or https://", given)
	case err != nil || at.Host == "":
		return nil, false, usage("%s is no URL; give one such as https://example.com or https://example.com/sitemap.xml",
			text)
	}
	if port, _ := strconv.Atoi(at.Port()); port > 1<<16-1 {
		return nil, false, usage("%s is not a port; the last one is 65535", at.Port())
	}
	at.Host, at.Fragment = address.Host(at), ""
	return at, bare, nil
}

// begins matches how a URL begins, also one that is misspelt.
var begins = regexp.MustCompile(`^(https?)(:?/*)`)

// isFile reports whether a text is the path of a file, and no host.
func isFile(text string) bool {
	info, err := os.Stat(text)
	return strings.HasPrefix(text, ".") || strings.HasPrefix(text, "/") || err == nil && info.Mode().IsRegular() ||
		slices.Contains([]string{".xml", ".gz", ".txt", ".html"}, filepath.Ext(text)) && !strings.Contains(text, "/")
}

// withScheme completes an address without a scheme.
func withScheme(address string) (whole string, bare bool) {
	if strings.Contains(address, "://") {
		return address, false
	}
	return "https://" + address, true
}

// mendable adds to the error of an address that was given without a scheme what may help. Where its name leads nowhere,
// another scheme does not.
func mendable(err error, bare bool, host string) error {
	if bare && !errors.As(err, new(*net.DNSError)) && !errors.Is(err, check.ErrRefused) {
		unless := "if it speaks no https, "
		if strings.HasSuffix(err.Error(), "plain http") {
			unless = ""
		}
		return fmt.Errorf("%w; %sgive http://%s", err, unless, host)
	}
	return err
}

// seen reads what servemap observed of the pages.
func (c *checking) seen(ctx context.Context) (map[string]pages.Seen, error) {
	seen := map[string]pages.Seen{}
	var none bytes.Buffer
	a := &asking{streams: streams{out: &none, err: c.streams.err}, data: c.data}
	err := each(ctx, a, http.MethodGet, "/pages", nil, func(p servemap.Page) string {
		s := pages.Seen{First: p.FirstSeen, Last: p.LastSeen}
		if p.Changes > 0 {
			s.Changed = p.LastModified
		}
		seen[address.KeyOf(p.URL)] = s
		return ""
	})
	return seen, err
}

// ofSite refuses what was learned of another site, also of one where this one redirects: its pages are not this site's.
// A server that nobody else reaches, such as one on this machine, stands for the public site of which it was learned.
func (c *checking) ofSite(at *url.URL) error {
	if c.Origin != nil {
		at = c.Origin
	}
	bare := func(host string) string { return strings.TrimPrefix(host, "www.") }
	for seen := range c.Seen {
		if u, err := url.Parse(seen); err == nil && bare(u.Host) != bare(at.Host) {
			_, given := location.PublicHost(at.Scheme, at.Host)
			if _, public := location.PublicHost(u.Scheme, u.Host); public && !given && c.Origin == nil {
				c.Origin = &url.URL{Scheme: u.Scheme, Host: u.Host}
				return nil
			}
			return usage("{-data} %s is about %s://%s, and not about %s; check that one", c.data, u.Scheme, u.Host, at.Host)
		}
	}
	return nil
}

// openOut opens the folder of -out before the work begins, and says what would hinder a file from being written there.
func openOut(out string) (*os.Root, error) {
	dir, err := os.OpenRoot(filepath.Dir(out))
	if err != nil {
		return nil, usage("-out %s: its folder: %v; make it first", out, errors.Unwrap(err))
	}
	probe := (*os.File)(nil)
	if err = control.Replaceable(dir, filepath.Base(out)); err != nil {
		err = usage("-out: %v; give another name", err)
	} else if probe, err = os.CreateTemp(dir.Name(), ".servemap-*"); err != nil {
		err = usage("-out: %s cannot be written: %v", out, errors.Unwrap(err))
	} else {
		err = errors.Join(probe.Close(), os.Remove(probe.Name()))
	}
	if err != nil {
		return nil, errors.Join(err, dir.Close())
	}
	return dir, nil
}

// write writes the report to the files of -out, prints it, and says where it is.
func (c *checking) write(r *report.Report) (err error) {
	says := ""
	for _, f := range c.out {
		var text bytes.Buffer
		if err := writers[f.form()](r, &text, c.all); err != nil {
			return err
		}
		if err := control.Replace(f.dir, filepath.Base(f.name), text.Bytes(), 0o644); err != nil {
			return err
		}
		says += "The report is in " + f.name + ".\n"
	}
	if to := c.streams.out.(terminal.Plain); c.json { // as run has made it
		err = r.JSON(to)
	} else {
		err = r.Text(to.To, c.all, styleOf(to))
	}
	_, also := io.WriteString(c.streams.err, says)
	return cmp.Or(err, also)
}
