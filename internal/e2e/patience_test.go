package e2e

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/internal/testkit"
	"github.com/servemap/servemap/internal/testkit/base"
)

func TestPanicOfAnOptionsFunctionFailsNoRequest(t *testing.T) {
	check := func(r *http.Request) {
		if r.Header.Get("X-Real-Ip") != "" {
			panic("who is that?")
		}
	}
	for _, tt := range []struct {
		name    string
		opts    servemap.Options
		ignored string // why such a request does not count
		hint    string
	}{
		{"Anonymous", servemap.Options{Anonymous: func(r *http.Request) bool { check(r); return true }}, "not-anonymous",
			"It is Options.Anonymous."},
		{"ClientIP", servemap.Options{Crawlers: true,
			ClientIP: func(r *http.Request) netip.Addr {
				check(r)
				return netip.MustParseAddr(
					"10.0.0.1")
			}}, "", "It is Options.ClientIP."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			testkit.Run(t, testkit.Setup{Options: tt.opts, Handler: testkit.PageOfItsURL("/a")}, func(s *testkit.Site) {
				for range 3 {
					if a := s.Get("/", "X-Real-Ip", "1", "User-Agent",
						"Mozilla/5.0 (compatible; Googlebot/2.1)"); a.Status != http.StatusOK || !strings.Contains(a.Body,
						"This page is about /") {
						s.Fatalf("status %d, %q", a.Status, a.Body)
					}
				}
				if n := s.Stats().Ignored[tt.ignored]; tt.ignored != "" && n != 3 {
					s.Errorf("%d requests are %s, want 3", n, tt.ignored)
				}
				s.Visit("/", "/a")
				s.WantListed("/", "/a")
				s.WantHints(tt.hint)
				if log := s.Logged.String(); !strings.Contains(log, "who is that?") || !strings.Contains(log, "patience_test.go") {
					s.Errorf("the log does not say what panicked, or where:\n%s", log)
				}
			})
		})
	}
}

// lastError returns the last error of a sequence.
func lastError[T any](seq iter.Seq2[T, error]) (last error) {
	for _, err := range seq {
		last = err
	}
	return last
}

func TestReadersReturnWhenTheirContextEnds(t *testing.T) {
	for name, read := range map[string]func(context.Context, *servemap.Site) error{
		"Explain": func(ctx context.Context, s *servemap.Site) error { _, err := s.Explain(ctx, "/"); return err },
		"Pages":   func(ctx context.Context, s *servemap.Site) error { return lastError(s.Pages(ctx)) },
		"Changes": func(ctx context.Context, s *servemap.Site) error { return lastError(s.Changes(ctx, time.Time{})) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				st := base.NewStore()
				s := testkit.Start(t, testkit.Setup{Store: st, Handler: testkit.PageOfItsURL("/a")})
				s.Visit("/", "/a")
				if err := read(t.Context(), s.Site); err != nil {
					t.Fatalf("a store that answers: %v", err)
				}
				st.Before(func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() })
				defer st.Mend()
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				if err := read(ctx, s.Site); !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("it returned %v, want that its time is over", err)
				}
			})
		})
	}
}
