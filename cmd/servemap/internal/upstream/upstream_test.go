package upstream

import (
	"bytes"
	"context"
	"crypto/x509"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/servemap/servemap/internal/admin/messages"
	"github.com/servemap/servemap/internal/testkit/base"
)

// TestVisitorsWhoLeaveAreNotCounted counts what visitors got.
func TestVisitorsWhoLeaveAreNotCounted(t *testing.T) {
	nobody, leave := base.HangsUp(t), func(ctx context.Context) context.Context {
		ctx, cancel := context.WithCancel(ctx)
		cancel()
		return ctx
	}
	stay := func(ctx context.Context) context.Context { return ctx }
	site, err := New(Config{To: "http://" + nobody, Origin: &url.URL{Scheme: "http", Host: "a.example"},
		Log: slog.New(slog.DiscardHandler)})
	base.Check(t, err)
	defer site.CloseIdleConnections()
	site.TellBy(messages.NewHints(slog.New(slog.DiscardHandler)))
	for _, client := range []func(context.Context) context.Context{stay, leave} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		site.ServeHTTP(httptest.NewRecorder(), r.WithContext(client(r.Context())))
	}
	if n := site.BadGateway.Load(); n != 1 {
		t.Errorf("%d answers of 502 were counted, want that to the one who stayed", n)
	}
}

// TestOneWhoHangsUpSpeaksHTTPOnlyBeforeTLS asks at an https address. One that speaks http may hang up too, as php -S
// does, but a site that has spoken TLS has another reason.
func TestOneWhoHangsUpSpeaksHTTPOnlyBeforeTLS(t *testing.T) {
	hangsUp := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/crash" {
			panic(http.ErrAbortHandler)
		}
	})
	secure := httptest.NewTLSServer(hangsUp)
	defer secure.Close()
	plain := base.HangsUp(t)
	for _, tt := range []struct {
		name, to string
		asked    []string
		http     bool
	}{
		{"no TLS", "https://" + plain, []string{"/"}, true},
		{"one page of a site that answers others", secure.URL, []string{"/", "/crash"}, false},
		{"the first page of all", secure.URL, []string{"/crash"}, false},
	} {
		var log bytes.Buffer
		hints := messages.NewHints(slog.New(slog.DiscardHandler))
		site, err := New(Config{To: tt.to, Origin: &url.URL{Scheme: "https", Host: "a.example"},
			Log: slog.New(slog.NewTextHandler(&log, nil))})
		base.Check(t, err)
		defer site.CloseIdleConnections()
		site.TellBy(hints)
		trusted := x509.NewCertPool()
		trusted.AddCert(secure.Certificate())
		site.proxy.Transport.(*http.Transport).TLSClientConfig.RootCAs = trusted
		w := httptest.NewRecorder()
		for _, path := range tt.asked {
			w = httptest.NewRecorder()
			site.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		}
		if w.Code != http.StatusBadGateway || strings.Contains(log.String(), "it seems to speak http") != tt.http ||
			!strings.Contains(log.String(), "EOF") || hints.Has(messages.Unanswered) != tt.http {
			t.Errorf("%s: %d, hints %q, and the log has %s", tt.name, w.Code, hints.Texts(), log.String())
		}
	}
}
