package notify_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/notify"
	"github.com/servemap/servemap/store/memstore"
)

// ExampleNew tells search engines what changes on a site, and serves the file that proves
// to them who speaks for it.
func ExampleNew() {
	ctx, stop := context.WithCancel(context.Background()) // until the program ends
	defer stop()
	st := new(memstore.Store) // better badgerstore.Open, so that a restart sends nothing twice
	site, err := servemap.New("https://example.com", st, nil)
	if err != nil {
		panic(err)
	}
	defer site.Close(ctx)
	notifier, err := notify.New(site, st, &notify.Options{Key: "0a1b2c3d4e5f"})
	if err != nil {
		panic(err)
	}
	// Here a program that is on the internet calls: go notifier.Run(ctx)

	handler := notifier.Wrap(site.Robots(site.Wrap(http.NewServeMux())))
	for _, path := range []string{"/0a1b2c3d4e5f.txt", "/robots.txt"} {
		rec := httptest.NewRecorder()
		handler.ServeHTTP(rec, httptest.NewRequest(http.MethodGet, "https://example.com"+path, nil))
		fmt.Println(rec.Code, strings.TrimSpace(rec.Body.String()))
	}
	status, err := notifier.Status(ctx)
	fmt.Println(status.Pending, "pages wait to be sent,", err)
	// Output:
	// 200 0a1b2c3d4e5f
	// 200 # Added by servemap:
	// Sitemap: https://example.com/sitemap.xml
	// 0 pages wait to be sent, <nil>
}
