package peers

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gorilla/websocket"

	"github.com/servemap/servemap/internal/eval/kit"
	"github.com/servemap/servemap/store/memstore"
)

// TestWebsocketsWork connects a client and a handler of a common module through
// a site.
func TestWebsocketsWork(t *testing.T) {
	site, err := kit.NewSite(new(memstore.Store), kit.Setup{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer site.Close(context.WithoutCancel(t.Context()))
	srv := httptest.NewServer(site.Wrap(http.HandlerFunc(echo)))
	defer srv.Close()
	c, resp, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(srv.URL, "http")+"/echo", nil)
	if err != nil {
		t.Fatalf("the handshake failed: %v, %v", err, resp)
	}
	defer c.Close()
	for i := range 1000 {
		sent := fmt.Sprint("message ", i)
		if err := c.WriteMessage(websocket.TextMessage, []byte(sent)); err != nil {
			t.Fatal(err)
		}
		if _, got, err := c.ReadMessage(); err != nil || string(got) != sent {
			t.Fatalf("sent %q, got %q, %v", sent, got, err)
		}
	}
}

// echo answers each message with the same.
func echo(w http.ResponseWriter, r *http.Request) {
	upgrader := websocket.Upgrader{}
	c, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		return // the client is told
	}
	defer c.Close()
	for {
		kind, text, err := c.ReadMessage()
		if err != nil || c.WriteMessage(kind, text) != nil {
			return
		}
	}
}
