package main

import (
	"flag"
	"log/slog"
	"net/http"
	"os"
	"strings"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/notify"
	"github.com/servemap/servemap/store"
)

// keyVariable is the environment variable with the key of -indexnow. The key is not a flag, because
// everybody on the machine may read the flags of a process.
const keyVariable = "SERVEMAP_INDEXNOW_KEY"

// telling says how to tell search engines what changed.
type telling struct {
	indexNow bool
	engines  []string // nil for the default
}

func (t *telling) flags(fs *flag.FlagSet) {
	fs.BoolFunc("indexnow", "tell Bing, Yandex and other search engines what changed, by IndexNow; -indexnow=URL names another endpoint. "+
		"The command makes a key and keeps it with what is learned; to give one of your own, set "+keyVariable+" in the environment", func(v string) error {
		t.indexNow, t.engines = v != "false", nil
		if t.indexNow && v != "true" {
			t.engines = []string{v}
		}
		return nil
	})
}

// notifier returns the notifier of a site, nil without -indexnow.
func (t *telling) notifier(site *servemap.Site, st store.Store, log *slog.Logger) (*notify.Notifier, error) {
	if !t.indexNow {
		return nil, nil
	}
	n, err := notify.New(site, st, &notify.Options{Key: os.Getenv(keyVariable), Endpoints: t.engines, Logger: log})
	if err != nil {
		return nil, exit{codeUsage, strings.TrimPrefix(err.Error(), "notify: ")}
	}
	return n, nil
}

// serveIndexNow answers with null without -indexnow.
func (c *answers) serveIndexNow(w http.ResponseWriter, r *http.Request) {
	if c.notifier == nil {
		answer(w, nil)
		return
	}
	st, err := c.notifier.Status(r.Context())
	if err != nil {
		breakOff(w, err)
		return
	}
	answer(w, st)
}
