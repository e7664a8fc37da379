package explore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/index/observation"
	"github.com/servemap/servemap/internal/page/location"
	"github.com/servemap/servemap/internal/page/sitemap"
	"github.com/servemap/servemap/internal/page/sitemap/strict"
)

// The bounds of the sitemaps that the site has, over all of them.
const (
	mostSitemaps     = 1000             // files that are asked for
	sitemapBytes     = 512 << 20        // that are read, unpacked
	sitemapPatience  = 30 * time.Second // for one of them
	sitemapsPatience = 5 * time.Minute  // for all
	sitemapHops      = 5                // redirects of one
)

// source is a sitemap that the site may have.
type source struct {
	location string
	hops     int // redirects that led to it
	tries    int // how often it was asked for

	after time.Time // when it is asked for again
	usual bool      // nobody names it
}

// sources are the sitemaps of one exploration.
type sources struct {
	*explorer
	inner   *explorer // asks behind the files of this process, nil if it cannot
	waiting []source
	seen    map[string]bool
	bytes   int
}

// readSitemaps reads the sitemaps that the site has, as robots.txt beside the budget, and puts what they list into the
// frontier: its owner has published it. The sitemap that this process makes itself is no source.
func (e *explorer) readSitemaps(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, sitemapsPatience)
	defer cancel()
	s := &sources{explorer: e, seen: map[string]bool{}}
	if e.Behind != nil && e.How == Outside {
		if h := e.Behind(); h != nil {
			cfg := e.Config
			cfg.How, cfg.Handler = Unproved, h
			s.inner = newExplorer(cfg)
			defer s.inner.connect()()
		}
	}
	for _, loc := range e.Sitemaps {
		s.add(e.Normalizer.Parse(loc), loc, source{})
	}
	for _, written := range e.lines {
		s.add(e.Normalizer.Resolve(robotsTxt, written), written, source{})
	}
	usual := e.Normalizer.Origin().Folder() + "sitemap.xml"
	s.add(e.Normalizer.Parse(usual), usual, source{usual: true, tries: mostTries}) // once
	for failed := 0; len(s.waiting) > 0 && failed < mostRefused && e.rest(ctx) == nil; {
		next := s.waiting[0]
		s.waiting = s.waiting[1:]
		e.waits(next.after, e.url(next.location)+" is asked for again then")
		_ = sleep(ctx, time.Until(next.after))
		begun := time.Now()
		err, of := s.read(ctx, next), refused{}
		isRefused := errors.As(err, &of)
		if of.status == http.StatusTooManyRequests {
			e.refuses(of.answer)
		}
		next.tries++
		asks := Patience(time.Now(), next.tries, of.header)
		if next.tries < mostTries && asks <= pagePatience && Asks(of.status, of.header) {
			next.after = time.Now().Add(asks)
			s.waiting = append(s.waiting, next)
			continue
		}
		if err != nil && !next.usual {
			e.leave(eligibility.LinkUnread, 1, e.url(next.location))
		}
		pause := time.Since(begun) // where nothing came, the site may be making it still
		if failed++; !isRefused {
			failed, pause = 0, min(pause, firstPause)
		}
		if pause > slowAnswer {
			e.pace.until = time.Now().Add(pause)
		}
	}
	if n := len(s.waiting); n > 0 {
		e.leave(eligibility.LinkUnread, n, e.url(s.waiting[0].location))
	}
}

// add has a sitemap read, unless it is on another host or robots.txt disallows it.
func (s *sources) add(at location.Result, written string, as source) {
	as.usual = as.usual || s.Files.OwnsLocation(at.Location) // robots.txt names that of this process
	switch as.location = strings.Clone(at.Location); {
	case s.seen[at.Location]:
		return
	case at.Location == "":
		s.skip(eligibility.OfAddress(at.Reason), s.named(at, written))
		return
	case as.usual && !s.robots.Allows(at.Location):
		return
	case !s.robots.Allows(at.Location):
		s.skip(eligibility.Disallowed, s.url(at.Location))
		return
	case s.mayAct(at.Location), len(s.seen) == mostSitemaps:
		s.leave(eligibility.LinkUnread, 1, s.url(at.Location))
		return
	}
	s.seen[as.location] = true
	s.waiting = append(s.waiting, as)
}

var errNoSitemap = errors.New("no sitemap is there")

// refused is the error of a site that does not answer, perhaps since it is overloaded.
type refused struct {
	error
	answer
}

// read reads one sitemap.
func (s *sources) read(ctx context.Context, from source) error {
	e := s.explorer
	if e.How == Outside && e.Files.OwnsLocation(from.location) {
		if e = s.inner; e == nil {
			return nil
		}
	}
	file, to, err := e.file(ctx, from.location, min(sitemap.MaxBytes, sitemapBytes-s.bytes))
	switch {
	case err != nil && e.Files.OwnsLocation(from.location) && ctx.Err() == nil: // robots.txt names that of this process
		return nil
	case err != nil:
		return err
	case to != "" && from.hops == sitemapHops:
		return errNoSitemap
	case to != "":
		s.add(s.Normalizer.Resolve(from.location, to), to, source{hops: from.hops + 1, usual: from.usual, tries: from.tries})
		return nil
	}
	s.bytes += len(file)
	var addresses []string
	index, ok := sitemap.Read(ctx, file, func(address string) { addresses = append(addresses, address) })
	if !ok {
		return errNoSitemap
	}
	for _, address := range addresses {
		if at := s.Normalizer.Resolve(from.location, address); index {
			s.add(at, address, source{})
		} else if address != "" {
			s.publish(at, address)
		}
	}
	return ctx.Err()
}

// publish puts what a sitemap lists into the frontier.
func (e *explorer) publish(at location.Result, written string) {
	switch {
	case e.published[at.Location]:
	case e.Files.Lists(at.Location): // what is listed is asked for at the end
		if len(e.listed) < max(leastRemembers, e.MaxRequests) {
			e.listed[strings.Clone(at.Location)] = true
		}
	case at.Location == "", at.Reason == location.ReasonOutsideFolder:
		e.skip(eligibility.OfAddress(at.Reason), e.named(at, written))
	case len(e.published) == max(leastRemembers, e.MaxRequests):
		e.skip(eligibility.LinkTooMany, e.url(at.Location))
	default:
		e.published[strings.Clone(at.Location)] = true
		e.consider(at, written, item{Free: true, Plain: true})
	}
}

// file returns a file of the site, or where it redirects.
func (e *explorer) file(ctx context.Context, loc string, most int) (text []byte, to string, err error) {
	ctx, cancel := context.WithTimeout(ctx, sitemapPatience)
	defer cancel()
	a := answer{}
	err = e.send(ctx, loc, func(resp *http.Response) error {
		a = answer{status: resp.StatusCode, header: resp.Header}
		switch to = resp.Header.Get("Location"); {
		case resp.StatusCode >= 300 && resp.StatusCode < 400 && to != "":
			return nil
		case resp.StatusCode != http.StatusOK:
			return fmt.Errorf("%w: %d", errNoSitemap, resp.StatusCode)
		}
		to = ""
		text, err = io.ReadAll(io.LimitReader(resp.Body, int64(most)+1))
		if err == nil {
			text, _, err = observation.Decode(resp.Header.Get("Content-Encoding"), text, most+1)
		}
		if err == nil {
			text, _, err = strict.Unpack(text, most+1)
		}
		if err == nil && len(text) > most {
			err = fmt.Errorf("it has more than %d bytes", most)
		}
		return err
	})
	if err != nil && (a.status == 0 || a.status >= 500 || a.status == http.StatusTooManyRequests) {
		err = refused{err, a}
	}
	return text, to, err
}
