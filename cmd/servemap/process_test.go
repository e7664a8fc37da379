package main

import (
	"log/slog"
	"testing"

	"github.com/servemap/servemap/cmd/servemap/internal/settings"
)

func TestAddressesOfSettingsThatWereNotTakenAreNotKept(t *testing.T) {
	p := &process{log: slog.New(slog.DiscardHandler), doors: map[string]*door{}}
	p.reload(nil, func() ([]*settings.Settings, error) {
		// without a site
		return []*settings.Settings{{Serving: settings.Serving{Origin: "http://localhost", Listen: "127.0.0.1:0"},
			Operation: settings.Operation{Data: t.TempDir()}}}, nil
	})
	if len(p.doors) != 0 {
		t.Errorf("connections at %v hang", p.doors)
	}
}
