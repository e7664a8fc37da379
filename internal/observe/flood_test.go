package observe

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
)

// A stranger in one network takes as much as he can get of each thing that all visitors share. A
// visitor elsewhere is still served.
func TestFloodFromOneNetworkLeavesOthersTheirShare(t *testing.T) {
	for _, tt := range []struct {
		name   string
		flood  func(*rig, func(target string) *http.Request)
		served func(*rig, *http.Request) bool
	}{
		{"the budget for unknown addresses", func(r *rig, from func(string) *http.Request) {
			for i := range 25_000 {
				r.Serve(http.NotFoundHandler(), httptest.NewRecorder(), from(fmt.Sprintf("/junk/%d", i)))
			}
		}, func(r *rig, visitor *http.Request) bool { return r.watches(visitor, page200) }},

		{"the memory for bodies", func(r *rig, from func(string) *http.Request) {
			var written, done sync.WaitGroup
			end := make(chan struct{})
			for i := range 2_000 {
				written.Add(1)
				done.Go(func() {
					r.Serve(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
						page200(w, req)
						written.Done()
						<-end
					}), httptest.NewRecorder(), from(fmt.Sprintf("/slow/%d", i)))
				})
			}
			r.t.Cleanup(func() { close(end); done.Wait() })
			written.Wait()
		}, func(r *rig, visitor *http.Request) bool {
			r.Serve(http.HandlerFunc(page200), httptest.NewRecorder(), visitor)
			return r.page("/new").Verdict != 0
		}},

		{"the queue", func(r *rig, from func(string) *http.Request) {
			r.cfg.Indexer = idleIndexer(r)
			r.diagnosis.cfg = &r.cfg
			for i := 0; r.cfg.Indexer.Stats().Dropped == 0; i++ {
				r.Serve(http.HandlerFunc(page200), httptest.NewRecorder(), from(fmt.Sprintf("/junk/%d", i)))
			}
		}, func(r *rig, visitor *http.Request) bool {
			r.watches(visitor, page200)
			return r.cfg.Indexer.Stats().Dropped == 1 // his
		}},

		{"the turns of those who are denied a page", func(r *rig, from func(string) *http.Request) {
			r.watches(get("/new"), page200)
			r.cfg.Schedule.Reset("/new")
			r.page("/new")
			for i := range 256 { // his network has 256 addresses, and a schedule of its own
				req := from("/new")
				req.RemoteAddr = strings.Replace(req.RemoteAddr, ".1:", fmt.Sprintf(".%d:", i), 1)
				r.watches(req, answer(http.StatusForbidden))
			}
		}, func(r *rig, visitor *http.Request) bool {
			r.page("/new")
			served := 0
			for i := range 40 {
				before := r.cfg.Indexer.Stats().Observations
				visitor.RemoteAddr = fmt.Sprintf("203.0.%d.7:1", i)
				r.watches(visitor, answer(http.StatusForbidden))
				r.page("/new")
				served += int(r.cfg.Indexer.Stats().Observations - before)
			}
			return served >= 35 // two networks may have the same hash
		}},
	} {
		for name, from := range map[string]func(string) *http.Request{
			"an IPv4 network": func(target string) *http.Request {
				req := get(target)
				req.RemoteAddr = "198.51.100.1:1"
				return req
			},
			"an IPv6 network": func(target string) *http.Request {
				req := get(target)
				req.RemoteAddr = "[2001:db8::1]:1"
				return req
			},
			"who says that he is behind a proxy": func(target string) *http.Request {
				req := with(get(target), "X-Forwarded-For", "10.0.0.1")
				req.RemoteAddr = "198.51.100.1:1"
				return req
			},
		} {
			t.Run(tt.name+" by "+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { // on a busy machine the clock of the schedule is late
					r := start(t)
					tt.flood(r, from)
					visitor := get("/new")
					visitor.RemoteAddr = "203.0.113.7:1"
					if !tt.served(r, visitor) {
						t.Error("nothing is left for a visitor of another network")
					}
				})
			})
		}
	}
}
