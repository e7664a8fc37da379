package observe

import (
	"bytes"
	"context"
	"crypto/rand"
	"io"
	"maps"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/servemap/servemap/internal/admin/metrics"
	"github.com/servemap/servemap/internal/crawl/explore"
	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/index/observation"
	"github.com/servemap/servemap/internal/observe/schedule"
	"github.com/servemap/servemap/internal/page/html"
	"github.com/servemap/servemap/internal/page/response"
)

// The site visits its own pages through its public origin, as a stranger would. Such a request comes
// back in here. It carries a key that counts once, so that it is known again, whatever is in front.
// What it shows counts only once the answer has come out at the origin, and only as far as a
// stranger got it. A request with a key that is not known, such as a made-up one or that of another
// process, teaches nothing.

// keyHeader names the header with the key of a visit.
const keyHeader = "Servemap-Visit"

// Visits are the site's own visits that are under way, and the proof that its origin leads here.
type Visits struct {
	some     atomic.Int32 // how many; each request looks here first
	observer *Observer    // learns what a visit showed
	visits   sync.Map     // of *visit, by key
	proof    string       // the name of the file by which the origin proves that it leads here
	text     string       // what that file says
	cut      atomic.Value // what something in front cut off the path of that file
	answered metrics.Result
}

// visit is a request of the site to its public origin, or one that does not leave the process.
type visit struct {
	location string
	routes   map[string]bool    // locations that the owner's router has as routes of their own
	arrived  atomic.Bool        // the request came in here
	left     chan struct{}      // closed once the handler has returned; nil if it does not leave the process
	answered *response.Response // by the handler; nil if that teaches nothing
	learn    func()             // learns that
	drop     func()             // forgets it
}

// exploring is the context key that marks requests of the site itself. Its value is the *visit.
type exploring struct{}

// Inside returns a handler for requests that the site makes to itself in this process. The observer
// learns from what next answers, but counts no client.
func (s *Visits) Inside(next http.Handler, routes map[string]bool) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.observer.Serve(next, w, r.WithContext(context.WithValue(r.Context(), exploring{}, &visit{routes: routes})))
	})
}

// Explores reports whether the site makes the request to itself.
func Explores(r *http.Request) bool { return r.Context().Value(exploring{}) != nil }

func (s *Visits) start(o *Observer) {
	s.observer, s.proof, s.text = o, strings.TrimSuffix(o.cfg.Files.Tops()[0], ".xml")+"-"+strings.ToLower(rand.Text())+".xml", rand.Text()
}

// Proof returns the location and the content of a file that only this process has. Both are random, so a server that
// returns the content leads to this process.
func (s *Visits) Proof() (location, says string) {
	return s.observer.cfg.Normalizer.Origin().Folder() + s.proof, s.text
}

// Proves reports whether a name is that of the file.
func (s *Visits) Proves(name string) bool { return name == s.proof }

// ServeProof answers with the file.
func (s *Visits) ServeProof(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Robots-Tag", "noindex")
	_, _ = io.WriteString(w, s.text) // the asker may be gone
}

// findCut notes what something in front cut off the path, if that is the file's below another folder.
func (s *Visits) findCut(path string) {
	location, _ := s.Proof()
	if cut, is := strings.CutSuffix(location, path); is && cut != "" && strings.HasSuffix(path, "/"+s.proof) {
		s.cut.Store(cut)
	}
}

// CutInFront returns what something in front of the program cuts off the path without the owner having said so,
// "" if that is not known.
func (s *Visits) CutInFront() string {
	cut, _ := s.cut.Load().(string)
	return cut
}

// Results returns how many answers explorations got, of each kind.
func (s *Visits) Results() map[string]uint64 { return s.answered.Counts() }

// exploration is the door of one exploration.
type exploration struct {
	*Visits
	routes map[string]bool
}

// With returns how to explore the site. The owner gave the locations of his router. What an exploration gets there
// counts as a page with a route of its own.
func (s *Visits) With(routes map[string]bool) explore.Config {
	cfg := &s.observer.cfg
	return explore.Config{
		Door: exploration{s, routes}, Indexer: cfg.Indexer, Files: cfg.Files, Answers: &s.answered,
		Normalizer: cfg.Normalizer, StrippedPrefix: cfg.StrippedPrefix, Rules: cfg.Rules,
	}
}

// Visit gives a request for a location its key, "" for a location that is no page. The caller makes
// the request through the origin, and then calls end with what came out there, nil if nothing did.
// end reports whether the answer is one of this process, as far as that matters.
func (s exploration) Visit(location string, h http.Header) (end func(context.Context, *response.Response) (here bool)) {
	key, v := rand.Text(), &visit{location: location, routes: s.routes, left: make(chan struct{})}
	h.Set(keyHeader, key)
	s.visits.Store(key, v)
	s.some.Add(1)
	return func(ctx context.Context, outside *response.Response) bool {
		s.visits.Delete(key)
		s.some.Add(-1)
		return s.ended(ctx, v, outside)
	}
}

// serve serves r if it is a visit that is under way, and reports whether it is. The handlers get it without
// the key.
func (s *Visits) serve(next http.Handler, w http.ResponseWriter, r *http.Request) bool {
	found, known := s.visits.Load(r.Header.Get(keyHeader))
	if !known {
		return false
	}
	v := found.(*visit)
	own := r.WithContext(context.WithValue(r.Context(), exploring{}, v))
	own.Header = maps.Clone(r.Header)
	own.Header.Del(keyHeader)
	if v.location == "" {
		s.findCut(r.URL.Path)
		next.ServeHTTP(w, own)
		return true
	}
	// A front may first ask for something else with the same header, such as leave to pass.
	page := v.location != robotsTxt && r.Method == http.MethodGet && s.observer.cfg.Locate(r).Location == v.location
	if !page || !v.arrived.CompareAndSwap(false, true) {
		return false
	}
	defer close(v.left)
	s.observer.Serve(next, w, own)
	return true
}

// stray reports whether r seems to be a visit, but not one that this process made, or its key was
// removed on the way.
func stray(r *http.Request) bool {
	return len(r.Header[keyHeader]) > 0 || r.Header.Get("User-Agent") == explore.Agent && !Explores(r)
}

// visitOf returns the visit that a request is part of, nil if there is none or it did not leave the process.
func visitOf(r *http.Request) *visit {
	if v, _ := r.Context().Value(exploring{}).(*visit); v != nil && v.left != nil {
		return v
	}
	return nil
}

// ended learns what a visit showed. If a stranger got the page, what the program answered counts,
// with its route, as it does for visitors. Otherwise only what the stranger got counts.
func (s *Visits) ended(ctx context.Context, v *visit, outside *response.Response) (here bool) {
	arrived := !v.arrived.CompareAndSwap(false, true) // from now on it is too late
	if arrived {
		select {
		case <-v.left:
		case <-ctx.Done():
			go func() { <-v.left; v.forget() }()
			return false
		}
	}
	switch {
	case outside == nil, v.location == "":
		v.forget()
	case v.location == robotsTxt:
		if s.observer.cfg.WatchRobots {
			s.observer.learnRobots(asked{}, schedule.Claim{}, outside)
		}
	default:
		return s.endedPage(v, outside, arrived)
	}
	return true
}

// endedPage is ended for a page. If the program and what came out say noindex, what the program answered counts
// too: the links there count as those that a visitor finds.
func (s *Visits) endedPage(v *visit, outside *response.Response, arrived bool) (here bool) {
	kind, why := s.says(v.location, outside)
	differs := !arrived
	if v.answered != nil && arrived {
		inside, because := s.says(v.location, v.answered)
		differs = inside != kind || because != why
	}
	switch {
	case kind != eligibility.Witness && (why != eligibility.NoIndex || v.learn == nil || differs || !cameOut(v.answered, outside)):
		v.forget()
		s.learnOutside(v.location, outside, differs)
	case v.learn == nil:
		return arrived
	case !cameOut(v.answered, outside):
		v.forget()
		return false
	default:
		v.learn()
	}
	return true
}

func (v *visit) forget() {
	if v.drop != nil {
		v.drop()
	}
}

// says returns what a response proves about its page, and why. A noindex in the head or for robots counts too.
func (s *Visits) says(location string, resp *response.Response) (eligibility.Kind, eligibility.Reason) {
	kind, why := s.observer.cfg.Rules.Response(location, resp)
	if kind != eligibility.Witness {
		return kind, why
	}
	forbids, _, _ := html.Robots(strings.Split(resp.Header.RobotsTag, "\n"))
	body, _, err := observation.Decode(resp.Header.ContentEncoding, resp.Body, observation.MaxPage)
	if forbids || err == nil && html.Head(body, html.Options{ContentType: resp.Header.ContentType}).NoIndex {
		return eligibility.Forbidden, eligibility.NoIndex
	}
	return kind, why
}

// self is the network of the site itself, where no host is (RFC 5737).
var self = netip.MustParsePrefix("192.0.2.0/24")

// cameOut reports whether a page that the program answered with came out at the origin, with nine of
// ten words. What is in front may drop spaces and add a banner. It may also have put a page of its
// own in place, perhaps with the site's menu.
func cameOut(answered, outside *response.Response) bool {
	if answered.Status != http.StatusOK || len(answered.Body) == 0 { // that shows no page
		return true
	}
	body, _, err := observation.Decode(answered.Header.ContentEncoding, answered.Body, observation.MaxPage)
	if err != nil || bytes.Equal(body, outside.Body) {
		return err == nil
	}
	shown := map[string]bool{}
	for _, b := range html.Read(outside.Body, html.Options{ContentType: outside.Header.ContentType}).Blocks {
		for word := range strings.FieldsSeq(b.Text) {
			shown[word] = true
		}
	}
	all, out := 0, 0
	for _, b := range html.Read(body, html.Options{ContentType: answered.Header.ContentType}).Blocks {
		for word := range strings.FieldsSeq(b.Text) {
			if b.Main {
				all++
			}
			if b.Main && shown[word] {
				out++
			}
		}
	}
	return 10*out >= 9*all && (all > 0 || len(shown) == 0)
}

// learnOutside gives the indexer what a stranger got at the origin. front says that the program did not
// answer so, but something in front of it.
func (s *Visits) learnOutside(location string, outside *response.Response, front bool) {
	e := &observation.Exchange{Location: location, At: time.Now(), Response: outside, Network: self, Explored: true}
	e.Kept = front && outside.Status != http.StatusNotFound && outside.Status != http.StatusGone
	e.Kind, e.Reason = s.says(location, outside)
	s.observer.diagnosis.answered(e.Kind, e.Reason, outside)
	s.observer.cfg.Indexer.Links.Answered(location, outside.Status, true, func() string {
		return s.observer.cfg.Normalizer.Resolve(location, outside.Header.Location).Location
	})
	if outside.Body = nil; e.Kind != eligibility.Nothing {
		s.observer.cfg.Indexer.Offer(e)
	}
}
