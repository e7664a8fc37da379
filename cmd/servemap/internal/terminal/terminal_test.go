package terminal

import (
	"io"
	"log/slog"
	"strings"
	"testing"

	"github.com/servemap/servemap/internal/testkit/base"
)

func TestPeopleReadShortLinesThatSteerNothing(t *testing.T) {
	var out strings.Builder
	log, err := NewLog(Plain{&out}, "people", slog.LevelInfo)
	base.Check(t, err)
	log.With("site", "a").Info("explored", "pages", 3, "of", "evil\x1b[2J\n")
	if got := out.String(); len(got) != len(`time=06:12:50 msg=explored site=a pages=3 of="evil\x1b[2J\n"`)+1 || !strings.HasSuffix(got, ` msg=explored site=a pages=3 of="evil\x1b[2J\n"`+"\n") {
		t.Errorf("%q", got)
	}
	if _, err := NewLog(Plain{io.Discard}, "xml", slog.LevelInfo); err == nil {
		t.Error("any form of the log is taken")
	}
}

func TestLevelIsTheLeastInEveryForm(t *testing.T) {
	for _, form := range []string{"people", "text", "json"} {
		var out strings.Builder
		log, err := NewLog(Plain{&out}, form, slog.LevelWarn)
		base.Check(t, err)
		log.Info("serving")
		log.Warn("silent")
		if got := out.String(); strings.Contains(got, "serving") || !strings.Contains(got, "silent") {
			t.Errorf("%s: %q", form, got)
		}
	}
}
