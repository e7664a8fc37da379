package observe

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/felixge/httpsnoop"

	"github.com/servemap/servemap/internal/admin/messages"
	"github.com/servemap/servemap/internal/admin/metrics"
	"github.com/servemap/servemap/internal/crawl/explore"
	"github.com/servemap/servemap/internal/decide/anonymous"
	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/index/observation"
	"github.com/servemap/servemap/internal/observe/schedule"
	"github.com/servemap/servemap/internal/page/response"
	"github.com/servemap/servemap/internal/schema/secret"
)

// The site asks for its own pages as a stranger would: through its public origin once that is proved to lead here, or
// in this process. Such a request passes through the observer again, which learns nothing from it on the way. What
// counts is the answer that comes back, with all that a server in front made of it.

// keyHeader names the header by which a request of this process is known when it comes back from the origin.
const keyHeader = "Servemap-Visit"

// Own are the requests that the site makes to itself, and the proof that its origin leads here.
type Own struct {
	some     atomic.Int32 // requests under way; every request, of anybody, first asks whether there are any
	returns  atomic.Bool  // some of them have come back in here from the origin
	observer *Observer    // learns from their answers
	key      string       // the value of keyHeader in all of them
	proof    string       // a part of the name of the file by which the origin proves that it leads here
	text     string       // what that file says
	led      atomic.Bool  // somebody who asked the origin has come here
	another  atomic.Bool  // at the origin, another process of the store answered
	cut      atomic.Value // the prefix that something in front cut off the path of that file
	asked    sync.Map     // the *request for each location, while it is under way
	// the prefix that this program cuts off the path of requests before they come in here, "" for none
	stripped atomic.Value
	rewrites atomic.Bool // handlers before this one change the path in other ways, or not always alike
	answered metrics.Result
}

// request is what is known of a request of the site to itself once it has come in here.
type request struct {
	status atomic.Int32 // the status of the program's answer, 0 if it was not asked
	named  atomic.Bool  // a server in front added headers about the client: it may let this machine in by its address
	route  atomic.Pointer[observation.Route]
}

// exploring is the context key that marks requests of the site itself. Its value is their *request, or nil for a
// request that came back from the origin, whose *request is in Own.asked.
type exploring struct{}

// Explores reports whether the site makes the request to itself.
func Explores(r *http.Request) bool { return r.Context().Value(exploring{}) != nil }

// Inside returns a handler for requests that the site makes to itself in this process. If a prefix is cut off visitors'
// requests, next gets these without it too.
func (s *Own) Inside(next http.Handler) http.Handler { return s.inside(next, nil) }

// inside is Inside for one request. What is known of it goes to arrived.
func (s *Own) inside(next http.Handler, arrived *request) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next := next
		if cut, _ := s.stripped.Load().(string); cut != "" && strings.HasPrefix(r.URL.Path, cut+"/") {
			next = http.StripPrefix(cut, next)
		}
		s.some.Add(1)
		defer s.some.Add(-1)
		s.pass(next, w, r.WithContext(context.WithValue(r.Context(), exploring{}, arrived)))
	})
}

func (s *Own) start(o *Observer) {
	s.observer, s.key = o, rand.Text()
	s.proof, s.text = strings.ToLower(rand.Text()), rand.Text()
}

// Proof returns the location and the content of a file that only this process has. Both are random, so a server that
// returns the content leads to this process. Where several processes share a store, the name is signed, and a process
// of the store that is not this one answers with another.
func (s *Own) Proof() (location, says, another string) {
	name := s.proof
	if key := s.observer.cfg.Indexer.Secret(); key != nil {
		name, another = name+"-"+sign(key, "proof", name), sign(key, "another", name)
	}
	return s.observer.cfg.Normalizer.Origin().Folder() + s.prefix() + name + ".xml", s.text, another
}

func (s *Own) prefix() string {
	return strings.TrimSuffix(s.observer.cfg.Files.Tops()[0], ".xml") + "-"
}

func sign(key secret.Key, purpose, name string) string {
	return fmt.Sprintf("%016x", key.Hash(purpose, name))
}

// Proves returns the content of the file with a name, "" if no process of the store has one of that name.
func (s *Own) Proves(name string) (says string) {
	name, mine := strings.CutPrefix(name, s.prefix())
	name, is := strings.CutSuffix(name, ".xml")
	name, signed, _ := strings.Cut(name, "-")
	switch key := s.observer.cfg.Indexer.Secret(); {
	case !mine || !is || len(name) != len(s.proof):
	case name == s.proof:
		return s.text
	case key != nil && signed == sign(key, "proof", name):
		return sign(key, "another", name)
	}
	return ""
}

// Leads notes that the origin leads here: the owner says so, or a request has shown it.
func (s *Own) Leads() {
	if !s.led.Swap(true) {
		s.observer.cfg.Hints.End(messages.Another)
	}
}

// ServeProof answers with what the file says. Only somebody who asks the origin knows its name.
func (s *Own) ServeProof(w http.ResponseWriter, says string) {
	s.Leads()
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Robots-Tag", "noindex")
	_, _ = io.WriteString(w, says) // the asker may be gone
}

// findCut notes what something in front cut off the path, if that is the file's below another folder.
func (s *Own) findCut(path string) {
	location, _, _ := s.Proof()
	if cut, is := strings.CutSuffix(location, path); is && cut != "" && strings.Contains(path, "/"+s.prefix()+s.proof) {
		s.cut.Store(cut)
	}
}

// arrives notes how the path of a request for a known page has changed on its way here, before handlers change it
// again. If the origin's folder was cut off, or a part of it, the site cuts that off its own requests in this process
// too. It cannot repeat any other change.
func (s *Own) arrives(r *http.Request) {
	target, _, _ := strings.Cut(r.RequestURI, "?")
	asked, err := url.PathUnescape(target)
	if err != nil || !strings.HasPrefix(asked, "/") {
		return // such a target names the host too
	}
	cut, is := strings.CutSuffix(asked, r.URL.Path)
	if before, known := s.stripped.Load().(string); !is || !strings.HasPrefix(s.observer.cfg.Normalizer.Origin().Folder(),
		cut) || known && cut != before {
		s.rewrites.Store(true)
	} else if !known {
		s.stripped.Store(cut)
	}
}

// Rewritten reports whether something changes the paths of visitors' requests in a way that the site's own requests in
// this process cannot repeat.
func (s *Own) Rewritten() bool { return s.rewrites.Load() }

// CutInFront returns the prefix that something in front of the program cuts off the path although the owner has not
// named it, "" if none is known.
func (s *Own) CutInFront() string {
	cut, _ := s.cut.Load().(string)
	return cut
}

// Results returns how many answers the site's own requests got, of each kind.
func (s *Own) Results() map[string]uint64 { return s.answered.Counts() }

// Door returns how to ask the site. The owner gave the locations of his router: what an exploration gets there counts
// as a page with a route of its own.
func (s *Own) Door(routes map[string]bool) explore.Config {
	cfg := &s.observer.cfg
	return explore.Config{Site: explore.Site{
		Door: door{s, routes}, Indexer: cfg.Indexer, Files: cfg.Files,
		Normalizer: cfg.Normalizer, StrippedPrefix: cfg.StrippedPrefix, Rules: cfg.Rules,
	}}
}

// unproved returns how to ask a handler in this process. Nobody says that nothing else stands between it and visitors.
func (s *Own) unproved(handler http.Handler) explore.Config {
	cfg := s.Door(nil)
	cfg.How, cfg.Handler = explore.Unproved, handler
	return cfg
}

// door is the door of one exploration.
type door struct {
	*Own
	routes map[string]bool
}

// Explored reports whether the site was explored since the start.
func (s *Own) Explored() bool { return s.observer.cfg.Looks.Asks.Load() != nil }

// Mark marks a request that is made through the origin, and returns what to call once it has its answer.
func (s *Own) Mark(h http.Header) (end func()) {
	h.Set(keyHeader, s.key)
	s.some.Add(1)
	return func() { s.some.Add(-1) }
}

// serve serves r if this process made it, and reports whether it did. The handlers get r without the key.
func (s *Own) serve(next http.Handler, w http.ResponseWriter, r *http.Request) bool {
	if Explores(r) {
		s.pass(next, w, r)
		return true
	}
	if r.Header.Get(keyHeader) != s.key {
		return false
	}
	own := r.WithContext(context.WithValue(r.Context(), exploring{}, (*request)(nil)))
	own.Header = maps.Clone(r.Header)
	own.Header.Del(keyHeader)
	s.returns.Store(true)
	s.findCut(r.URL.Path)
	s.pass(next, w, own)
	return true
}

// pass lets next answer a request of the site itself, and notes what only this process can tell of the answer.
func (s *Own) pass(next http.Handler, w http.ResponseWriter, r *http.Request) {
	arrived, _ := r.Context().Value(exploring{}).(*request)
	if arrived == nil {
		found, known := s.asked.Load(s.observer.cfg.Locate(r).Location)
		if !known {
			next.ServeHTTP(w, r)
			return
		}
		arrived = found.(*request)
	}
	if anonymous.Credentials(r, s.observer.cfg.Benign.Added()) != eligibility.None {
		arrived.named.Store(true)
	}
	note := func(status int) {
		if status < http.StatusOK || arrived.status.Load() != 0 {
			return // more is to come, or nothing new
		}
		if route := s.observer.cfg.matched(r); route.Template != "" {
			arrived.route.Store(&route)
		}
		arrived.status.Store(int32(status))
	}
	next.ServeHTTP(beforeFirst(w, note), r)
	note(http.StatusOK)
}

// beforeFirst returns a writer that tells the status before anything is written: a client that has the last byte may be
// done before the handler is.
func beforeFirst(w http.ResponseWriter, tell func(status int)) http.ResponseWriter {
	return httpsnoop.Wrap(w, httpsnoop.Hooks{
		WriteHeader: func(next httpsnoop.WriteHeaderFunc) httpsnoop.WriteHeaderFunc {
			return func(status int) { tell(status); next(status) }
		},
		Write: func(next httpsnoop.WriteFunc) httpsnoop.WriteFunc {
			return func(p []byte) (int, error) { tell(http.StatusOK); return next(p) }
		},
		WriteString: func(next httpsnoop.WriteStringFunc) httpsnoop.WriteStringFunc {
			return func(p string) (int, error) { tell(http.StatusOK); return next(p) }
		},
		ReadFrom: func(next httpsnoop.ReadFromFunc) httpsnoop.ReadFromFunc {
			return func(src io.Reader) (int64, error) { tell(http.StatusOK); return next(src) }
		},
	})
}

// Another notes that another process of the store answered at the origin. It reports whether this process is foreign.
func (s *Own) Another() bool {
	s.another.Store(true)
	if s.foreign() {
		s.observer.cfg.Hints.Give(messages.Another, "")
	}
	return s.foreign()
}

// foreign reports whether the origin leads to another process of the store, and never yet to this one. This one may be
// for staging, or wait for the other to end. Until somebody who asked the origin comes here, it learns nothing.
func (s *Own) foreign() bool { return s.another.Load() && !s.led.Load() }

// asksAgain asks the origin whether it leads here by now. If it does, the request comes in here, and ServeProof notes
// that.
func (s *Own) asksAgain(ctx context.Context) {
	proof, _, _ := s.Proof()
	_, _ = explore.Once(ctx, s.Door(nil), proof)
}

// stray reports whether r looks like a site's request to itself, but lacks the key of this process. Another process or
// the command made it, or something on the way took the key off. Such a request may ask for a made-up address.
func stray(r *http.Request) bool {
	return len(r.Header[keyHeader]) > 0 || strings.HasPrefix(r.Header.Get("User-Agent"), explore.Agent)
}

// Asks notes that the site asks for a location. The caller then calls learn with the answer, nil for none. how says by
// which way it asks.
func (s door) Asks(location string, how explore.Way,
	published bool) (learn func(context.Context, *response.Response) (here bool)) {
	arrived := new(request)
	s.asked.Store(location, arrived)
	return func(ctx context.Context, resp *response.Response) bool {
		s.asked.Delete(location)
		if resp == nil {
			s.answered.Count(0)
		} else {
			s.answered.Count(resp.Status)
		}
		switch {
		case ctx.Err() != nil || arrived.named.Load(): // the end of ctx may have cut the answer short
		case location != robotsTxt:
			return s.learn(location, how, published, arrived, resp)
		case s.observer.cfg.WatchRobots && resp != nil:
			s.observer.learnRobots(asked{own: true}, schedule.Claim{}, resp)
		}
		return true
	}
}

// learn gives the indexer the answer that came out. If it is not the page that the program gave, strangers do not get
// that page at the origin. here is false if the origin gave HTML without asking this process.
func (s door) learn(location string, how explore.Way, published bool, arrived *request,
	resp *response.Response) (here bool) {
	o := s.observer
	if resp == nil {
		resp = new(response.Response)
	}
	e := s.observed(location, arrived, resp)
	e.Inside, e.Published = how == explore.Unproved, published
	here = how != explore.Outside || arrived.status.Load() != 0 || !resp.HTML()
	e.Elsewhere = !here && e.Kind == eligibility.Witness && s.alone()
	e.Kept = how == explore.Outside && s.keeps(e, int(arrived.status.Load()))
	e.Route.Named = s.routes[location]
	e.Route.Exact = e.Route.Exact || e.Route.Named
	o.diagnosis.answered(location, e.Kind, e.Reason, resp)
	o.cfg.Indexer.Links.Answered(location, resp.Status, true, func() string {
		return o.cfg.Normalizer.Resolve(location, resp.Header.Location).Location
	})
	switch {
	case e.Kept && e.Kind == eligibility.Witness:
		e.Kind = eligibility.Nothing // it is another page
	case e.Kind == eligibility.Nothing && !e.Kept && (resp.Status != 0 || how != explore.Outside),
		e.Kind == eligibility.Witness && !here && !e.Elsewhere:
		return here
	}
	o.cfg.Indexer.Offer(e)
	return here
}

// observed returns what a request of the site itself showed.
func (s *Own) observed(location string, arrived *request, resp *response.Response) *observation.Observation {
	cfg := &s.observer.cfg
	e := &observation.Observation{
		Location: location, At: time.Now(), Response: resp, OwnQuery: cfg.Normalizer.Parse(location).OwnQuery, Explored: true,
	}
	e.Kind, e.Reason = cfg.Rules.Response(location, resp)
	if route := arrived.route.Load(); route != nil {
		e.Route = s.observer.leadsTo(*route, location)
	}
	return e
}

// Try asks a handler for a location as a look in this process does, and returns the observation. Nobody learns from it.
func (s *Own) Try(ctx context.Context, handler http.Handler, location string) (*observation.Observation, error) {
	arrived := new(request)
	resp, err := explore.Once(ctx, s.unproved(s.inside(handler, arrived)), location)
	if err != nil {
		return nil, err
	}
	return s.observed(location, arrived, resp), nil
}

// Get asks a handler in this process for a location as a stranger does. It returns the status of the answer, 0 for no
// answer, and where on the site the answer redirects.
func (s *Own) Get(ctx context.Context, handler http.Handler, location string) (status int, to string) {
	return explore.Get(ctx, s.unproved(handler), location)
}

// keeps reports whether the page is kept from strangers, by something in front of the program or by the program. status
// is what the program answered. It is 0 if this process was not asked: a cache may have had the page, another process
// may have answered, or something took the key off.
func (s *Own) keeps(e *observation.Observation, status int) bool {
	came := e.Response.Status
	switch {
	case e.Kind == eligibility.Forbidden, e.Kind == eligibility.Doubtful && e.Reason != eligibility.NotFound:
		return true
	case status == 0:
		return came != http.StatusOK && came != http.StatusNotModified && s.alone()
	}
	return came != status && (came != http.StatusOK || e.Response.HTML())
}

// alone reports whether an answer that this process had no part in is certainly not the program's: it shares its store
// with no other process, and nothing on the way takes the key off.
func (s *Own) alone() bool { return s.returns.Load() && s.observer.cfg.Indexer.Alone() }
