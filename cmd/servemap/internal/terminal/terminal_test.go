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
	log.Info("servemap: left out")
	log.Info("write", "lines", `public = ["/"]`, "all", []string{"a", "b"})
	log.Info("serving", "at", strings.Repeat("x", 100), "sitemap", "y")
	log.Debug("exploring")
	got := out.String()
	if strings.Contains(got, "\x1b") || strings.Contains(got, "servemap") || !strings.Contains(got, " left out\n") ||
		!strings.Contains(got, `explored  site a  pages 3  of evil\u001b`) ||
		!strings.Contains(got, `write  lines public = ["/"]  all a b`) ||
		!strings.Contains(got, "\n         sitemap y\n") || strings.Contains(got, "exploring") {
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

func TestProgressIsOneLineOfATerminal(t *testing.T) {
	var out strings.Builder
	p := people{screen: &screen{to: &out, lives: true}}
	log := slog.New(p)
	log.Debug("exploring", "requests", 1)
	log.Debug("exploring", "requests", 2)
	log.Info("explored")
	if got := out.String(); strings.Count(got, "\n") != 1 || strings.Count(got, "\r\x1b[K") != 3 ||
		!strings.HasSuffix(got, "explored\n") {
		t.Errorf("%q", got)
	}
}

func TestConcealHidesPasswordsAlone(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"http://user:pw@host is no URL", "http://***@host is no URL"},
		{`"http://user:pw@host/a?b" belongs to no flag`, `"http://***@host/a?b" belongs to no flag`},
		{"-to=http://token@host", "-to=http://***@host"},
		{"give user:pw@host", "give ***@host"},
		{`"josé:pw@host" is one too many, and -to=me!:pw@host`, `"***@host" is one too many, and -to=***@host`},
		{`{"mail":"me@example.com"}`, `{"mail":"me@example.com"}`},
		{"http://user:p/w@host", "http://***@host"},
		{"http://user:p@w@host", "http://***@host"},
		{"http:user:pw@host", "***@host"},
		{"postgres://user:pw@host:5432/db and http://a:b@c", "postgres://***@host:5432/db and http://***@c"},
		{"https://example.com/@name is not listed", "https://example.com/@name is not listed"},
		{"https://example.com:8080/a/@name, b", "https://example.com:8080/a/@name, b"},
		{`to = "http://user:it's@host"`, `to = "http://***@host"`},
		{"http://user:p w@host", "http://***@host"},
		{"ask me@example.com", "ask me@example.com"},
		{"/@name: not listed", "/@name: not listed"},
		{"error: mail me@example.com is refused", "error: mail me@example.com is refused"},
		{"at 10:30 see user@host", "at 10:30 see user@host"},
	} {
		base.Equal(t, Conceal(tt.text), tt.want, "%q", tt.text)
	}
}

func TestConcealURLsKeepsPatternsAndMailAddresses(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"to = 'http://user:pw@host'", "to = 'http://***@host'"},
		{"never = ['/user:*/@x', 'a:b@c']", "never = ['/user:*/@x', 'a:b@c']"},
		{"robots-text = 'User-agent: * # mailto:ops@example.com'", "robots-text = 'User-agent: * # mailto:ops@example.com'"},
	} {
		base.Equal(t, ConcealURLs(tt.text), tt.want, "%q", tt.text)
	}
}
