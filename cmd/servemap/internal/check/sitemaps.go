package check

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/servemap/servemap/cmd/servemap/internal/check/address"
	"github.com/servemap/servemap/cmd/servemap/internal/check/listing"
	"github.com/servemap/servemap/cmd/servemap/internal/check/pages"
	"github.com/servemap/servemap/cmd/servemap/internal/check/report"
	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/page/html"
	"github.com/servemap/servemap/internal/page/response"
	"github.com/servemap/servemap/internal/page/sitemap"
	"github.com/servemap/servemap/internal/page/sitemap/strict"
	"github.com/servemap/servemap/internal/page/words"
)

// usual are the places of a sitemap that nobody names.
var usual = []string{"/sitemap.xml", "/sitemap_index.xml", "/wp-sitemap.xml", "/sitemap-index.xml"}

// sitemaps reads all files of the sitemap.
func (c *checker) sitemaps(ctx context.Context) error {
	names := c.named
	if given := c.given(ctx); given != nil {
		names = []string{given.String()}
	} else if len(names) == 0 {
		found, err := c.guess(ctx)
		if err != nil {
			return err
		}
		names = []string{found}
	}
	for f := range c.files(ctx, names) {
		if err := c.sitemap(ctx, f, len(names) == 1); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// given returns the address of the sitemap that was given, nil if that of the site was, or that of a page.
func (c *checker) given(ctx context.Context) *url.URL {
	if address.IsRoot(c.Config.URL) {
		return nil
	}
	at := *c.Config.URL
	at.Scheme, at.Host = c.Origin.Scheme, c.Origin.Host
	if slices.Contains([]string{".xml", ".gz", ".txt"}, path.Ext(at.Path)) && at.Path != "/robots.txt" ||
		c.isNamed[address.Key(&at)] {
		return &at
	}
	a, err := c.follow(ctx, &at, 0) // it is read later
	says := "is a page"
	switch {
	case at.Path == "/robots.txt":
		says = "says what crawlers may do"
	case err != nil || a.Status == http.StatusOK && !response.IsHTML(a.Header.Get("Content-Type")):
		return &at
	case a.Status != http.StatusOK:
		says = "is answered with " + pages.Status(a.Status)
	}
	c.Facts = append(c.Facts, at.String()+" "+says+", and no sitemap. So the sitemap of the site was checked.")
	return nil
}

// guess finds the sitemap of a site that names none.
func (c *checker) guess(ctx context.Context) (string, error) {
	site, tried, status := address.Site(c.at(c.Origin)), "", 0 // the first that is not there, or that does not tell
	for _, path := range usual {
		u := on(c.Origin, path)
		a, err := c.follow(ctx, u, pages.MaxBytes) // a sitemap is read later
		if err != nil {
			return "", err
		}
		if a.Status == http.StatusOK || pages.Wall(a.Status, a.Header, a.Body) != "" {
			return u.String(), nil
		}
		if tried == "" || isSilent(a.Status) && !isSilent(status) {
			tried, status = path+" is answered with "+c.why(a), a.Status
		}
		if c.silent != "" && isSilent(status) { // the others will say no more
			break
		}
	}
	unknown := isSilent(status)
	if status == http.StatusForbidden { // a store of files refuses so those that it has not
		home, err := c.follow(ctx, on(c.Origin, "/"), 0)
		unknown = err == nil && home.Status == status
	}
	switch {
	case c.silent != "":
		return "", fmt.Errorf("%s answers for robots.txt %s, and %s; %w", site, c.silent, tried, ErrRefused)
	case unknown:
		return "", fmt.Errorf("%s names no sitemap in a robots.txt, and %s; %w", site, tried, ErrRefused)
	}
	return "", fmt.Errorf("%w: %s names none of its own in a robots.txt, and %s", ErrNone, site, tried)
}

// isSilent reports whether an answer does not tell if a file is there: the server fails, asks for patience, or for a
// log-in.
func isSilent(status int) bool {
	return status >= 500 || status == http.StatusTooManyRequests || status == http.StatusUnauthorized
}

// why says how a server refuses a file. One that has none may say why.
func (c *checker) why(a answer) string {
	says := ""
	if strings.HasPrefix(a.Header.Get("Content-Type"), "text/plain") {
		says = ", which says: " + html.PlainText(a.Body, 500)
	} else if a.Status == http.StatusUnauthorized {
		says = ", which asks for a log-in"
	}
	return pages.Status(a.Status) + says
}

// file is one that was asked for.
type file struct {
	*url.URL
	answer
}

// files asks for files that were not read yet, some at once, and yields them in their order.
func (c *checker) files(ctx context.Context, names []string) iter.Seq[*file] {
	return func(yield func(*file) bool) {
		for some := range slices.Chunk(names, mostAtOnce) {
			var all []*file
			for _, name := range some {
				u, err := url.Parse(name)
				if err != nil || c.read[address.Key(u)] {
					continue // it was checked
				}
				if c.doubt = c.doubt || len(c.read) == mostFiles; len(c.read) == mostFiles {
					c.limit(errBound{words.Number(mostFiles) + " files were read; the rest was not"})
					break
				}
				c.read[address.Key(u)] = true
				all = append(all, &file{URL: u})
			}
			together(mostAtOnce, len(all), func(i int) {
				all[i].answer, all[i].Err = c.follow(ctx, all[i].URL, listing.MaxBytes)
			})
			for _, f := range all {
				if !yield(f) {
					return
				}
			}
		}
	}
}

// sitemap judges one sitemap, and its parts if it is an index. alone says that there is no other to check.
func (c *checker) sitemap(ctx context.Context, f *file, alone bool) error {
	isNamed := c.isNamed[address.Key(f.URL)] || alone && c.isPart(ctx, f.URL)
	c.judge.Folder = f.Path[:strings.LastIndexByte(f.Path, '/')+1]
	if isNamed || c.judge.Folder == "" {
		c.judge.Folder = "/"
	}
	from := ""
	if c.isNamed[address.Key(f.URL)] {
		from = " (robots.txt names it)"
	}
	parts, err := c.take(ctx, f, alone, from)
	if err != nil {
		return err
	}
	from = " (" + strings.TrimPrefix(f.String(), c.Site) + " names it)"
	for part := range c.files(ctx, parts) {
		if more, err := c.take(ctx, part, false, from); err != nil {
			return err
		} else if len(more) > 0 {
			c.Add("nested", report.At{Where: part.String()}, "is an index, and named by an index; what it names was not read")
		}
	}
	told := isNamed || c.blind || c.Has("robots-line")
	if !told && len(c.judge.Pages) > 0 && c.Files[len(c.Files)-1].Form != "" { // else it may be no sitemap
		c.Add("unnamed", report.At{Where: f.String()}, "is found by crawlers once robots.txt has the line Sitemap: %s",
			f.String())
	}
	return nil
}

// isPart reports whether an index that robots.txt names has a file.
func (c *checker) isPart(ctx context.Context, u *url.URL) (is bool) {
	for _, name := range c.named[:min(len(c.named), mostAtOnce)] {
		if at, err := url.Parse(name); err == nil {
			a, _ := c.follow(ctx, at, listing.MaxBytes)
			text, _, _ := strict.Unpack(a.Body, listing.MaxBytes)
			found := false
			index, _ := sitemap.Read(ctx, text, func(part string) { found = found || address.KeyOf(part) == address.Key(u) })
			is = is || index && found && a.Status == http.StatusOK
		}
	}
	return is
}

// take judges what came for a file, and returns the files that it names if it is an index. alone says that without it
// there is nothing to check, and from which file names it.
func (c *checker) take(ctx context.Context, f *file, alone bool, from string) (parts []string, err error) {
	at := report.At{Where: f.String()}
	wall, none := pages.Wall(f.Status, f.Header, f.Body), (*net.DNSError)(nil)
	came := f.Err == nil && f.Status == http.StatusOK && wall == "" && !eligibility.IsLogIn(f.answer.url.String())
	lacks := f.Status == http.StatusNotFound || f.Status == http.StatusGone || errors.As(f.Err, &none) && none.IsNotFound
	c.doubt = c.doubt || !came && !lacks // what is not there lists nothing
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.As(f.Err, new(errBound)):
		c.limit(f.Err)
		return nil, nil
	case f.Err != nil && alone:
		return nil, fmt.Errorf("%w%s", f.Err, from)
	case f.Err != nil:
		c.Add("unreadable", at, "%s%s", pages.Unanswered(f.Err), from)
	case wall != "" && f.Status != http.StatusOK:
		c.Add("wall-file", at, "is answered with %d by %s, in place of the file", f.Status, wall)
	case isSilent(f.Status) && alone:
		return nil, fmt.Errorf("%s is answered with %s; %w", c.at(f.URL), c.why(f.answer), ErrRefused)
	case lacks && alone:
		return nil, fmt.Errorf("%w: %s is answered with %s", ErrNone, c.at(f.URL), c.why(f.answer))
	case f.answer.url != f.URL && eligibility.IsLogIn(f.answer.url.String()):
		c.Add("unreadable", at, "sends who asks to log in, at %s%s", f.url.String(), from)
	case f.Status != http.StatusOK:
		c.Add("unreadable", at, "is answered with %s%s", c.why(f.answer), from)
	default:
		return c.judged(f.answer, f.URL), nil
	}
	c.Files = append(c.Files, report.File{URL: report.Shorten(f.String())})
	return nil, nil
}

// judged judges the text of a file.
func (c *checker) judged(a answer, u *url.URL) (parts []string) {
	moved := address.Key(a.url) != address.Key(u)
	if moved {
		c.Add("moved", report.At{Where: u.String()}, "redirects to %s", a.url.String())
	}
	f, parts := c.judge.File(listing.Answer{
		URL: u, Body: a.Body, ContentType: a.Header.Get("Content-Type"), Encoding: a.Header.Get("Content-Encoding"),
	})
	c.asked[u.String()] = a.begun
	if moved {
		f.To = a.url.String()
	}
	c.Files = append(c.Files, f)
	if c.judge.Full {
		c.limit(errBound{"more than 1,000,000 pages are listed; the rest was not read"})
	}
	return parts
}

// A file is asked for again so much later, and so many are.
const (
	pause     = 3 * time.Second
	mostAgain = 5
)

// again asks once more for files whose dates may be the time of the request. What cannot be asked for again is not
// blamed.
func (c *checker) again(ctx context.Context) {
	fresh := c.judge.Fresh()
	for _, name := range fresh[:min(len(fresh), mostAgain)] {
		select {
		case <-time.After(time.Until(c.asked[name].Add(pause))):
		case <-ctx.Done():
			return
		}
		u, err := url.Parse(name)
		if err != nil {
			continue
		}
		if a, err := c.follow(ctx, u, listing.MaxBytes); err == nil && a.Status == http.StatusOK {
			j := listing.NewJudge(c.judge.Site, &report.Report{})
			j.File(listing.Answer{URL: u, Body: a.Body})
			c.judge.Again(name, j.Pages, a.begun.Sub(c.asked[name]))
		}
	}
}
