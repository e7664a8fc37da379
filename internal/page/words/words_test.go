package words_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/internal/page/words"
	"github.com/servemap/servemap/internal/testkit/base"
	"github.com/servemap/servemap/notify"
	"github.com/servemap/servemap/store/badgerstore"
)

func TestEachStyleNamesASettingAsItsOwnerWritesIt(t *testing.T) {
	t.Cleanup(func() { words.Use(words.Options) })
	const none = "" // the owner has no such text
	for _, tt := range []struct {
		name string
		says func() string
		want [4]string // by style
	}{
		{"an option", func() string { return words.Say("see {Hosts}.") },
			[4]string{"see Options.Hosts.", "see -hosts.", "see `hosts`.", "see `hosts`."}},
		{"a name at the beginning", func() string { return words.Say("{Never} names it") },
			[4]string{"a Never rule names it", "-never names it", "`never` names it", "`never` names it"}},
		{"a call", func() string { return words.Say("with {Explore}") },
			[4]string{"with go site.Explore(ctx, &servemap.ExploreOptions{Revisit: 1000})", "with -explore", "with `explore`",
				"with `explore`"}},
		{"what Caddy has not", func() string { return words.Say("free some{OrReserve}") },
			[4]string{"free some, or lower Options.Reserve", "free some, or lower -reserve", "free some, or lower `reserve`",
				"free some"}},
		{"several lines", func() string { return words.Say("{Rules}") },
			[4]string{"Options.Rules", "-never, -always, -public or -query", "`never`, `always`, `public` or `query`",
				"`never`, `always`, `public` or `query`"}},
		{"a list", func() string { return words.Typed("{Query}", "id", "lang") },
			[4]string{"Options.Query", "-query id,lang", "query = ['id', 'lang']", "query id lang"}},
		{"a rule", func() string { return words.Typed("{NeverThis}", "/it's$") },
			[4]string{`servemap.Rule{Pattern: "/it's$", List: servemap.DecisionNever} in Options.Rules`, `-never '/it'\''s$'`,
				`never = ["/it's$"]`, "never /it's$"}},
		{"a setting of the command", func() string { return words.Say("give {-to=http://localhost:3000}, not {-folder}") },
			[4]string{none, "give -to http://localhost:3000, not -folder", "give to = \"http://localhost:3000\", not `folder`",
				none}},
		{"other braces", func() string { return words.Say("/{id}") }, [4]string{"/{id}", "/{id}", "/{id}", "/{id}"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for style, want := range tt.want {
				words.Use(words.Style(style))
				if got := tt.says(); want != none && got != want {
					t.Errorf("style %d: %s, want %s", style, got, want)
				}
			}
		})
	}
}

const root = "../../.."

// found returns the words that a pattern's first group finds in a file.
func found(t *testing.T, file, pattern string) map[string]bool {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, file))
	base.Check(t, err)
	all := map[string]bool{}
	for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(string(text), -1) {
		all[m[1]] = true
	}
	return all
}

// Whatever the table says, its reader can write.
func TestWhatTheTableNamesIsThere(t *testing.T) {
	options := map[string]bool{"Rule.Pattern": true}
	for _, of := range []any{servemap.Options{}, servemap.Limits{}, servemap.ExploreOptions{}, servemap.Rule{},
		servemap.Extensions{}, notify.Options{}, notify.Google{}, badgerstore.Options{}} {
		for _, f := range reflect.VisibleFields(reflect.TypeOf(of)) {
			options[reflect.TypeOf(of).Name()+"."+f.Name] = true
		}
	}
	// imported, it would be a module of whoever imports servemap
	for name := range found(t, "store/sqlstore/sqlstore.go", `(?m)^\t([A-Z][A-Za-z]+) +[a-z*]`) {
		options["Options."+name] = true
	}
	for m := range reflect.TypeFor[*servemap.Site]().Methods() {
		options["Site."+m.Name] = true
	}
	settings := found(t, "cmd/servemap/internal/settings/settings.go", "toml:\"([a-z-]+)")
	commands := found(t, "cmd/servemap/main.go", `\t\{"([a-z]+)", "`)
	lines := found(t, "cmd/caddy/servemap.go", `"([a-z-]+)": +&`)
	lines["trusted_proxies"] = true // Caddy's own
	for name, says := range words.Settings {
		for _, option := range regexp.MustCompile(`\b[A-Z][A-Za-z]+\.[A-Z][A-Za-z]+`).FindAllString(says[words.Options], -1) {
			if !options[option] {
				t.Errorf("{%s}: the library has no %s", name, option)
			}
		}
		for _, m := range regexp.MustCompile(`\{-([a-z-]+)\}|"servemap ([a-z]+)`).FindAllStringSubmatch(says[words.Flags],
			-1) {
			if !settings[m[1]] && !commands[m[2]] {
				t.Errorf("{%s}: the command has no %s", name, m[0])
			}
		}
		for _, line := range regexp.MustCompile(`^[a-z_-]+`).FindAllString(strings.TrimPrefix(says[words.Caddyfile],
			"write "), -1) {
			if !lines[line] && line != "the" {
				t.Errorf("{%s}: a Caddyfile has no %s", name, line)
			}
		}
	}
}

// outsideCaddy has the files whose texts Caddy never says: it has neither these settings nor these packages.
var outsideCaddy = regexp.MustCompile(
	`^(middleware\.go|(cmd/servemap|notify|store/sqlstore)/.*|store/badgerstore/badgerstore\.go)$`)

// Whatever a text names, the table has, for all who read it.
func TestWhatATextNamesIsInTheTable(t *testing.T) {
	settings := found(t, "cmd/servemap/internal/settings/settings.go", "toml:\"([a-z-]+)")
	named := regexp.MustCompile(`(?:^|[^p])\{([A-Z][A-Za-z]+)\}|\{-([a-z-]+)[}=]`)
	literal := regexp.MustCompile("(?s)\"(?:[^\"\\\\\n]|\\\\.)*\"|`[^`]*`")
	n := 0
	err := fs.WalkDir(os.DirFS(root), ".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != "." && strings.HasPrefix(d.Name(), "."), d.Name() == "eval" || d.Name() == "testkit":
			return fs.SkipDir
		case d.IsDir() || strings.HasSuffix(path, "_test.go") || !strings.HasSuffix(path, ".go") &&
			!strings.HasSuffix(path, ".html"):
			return nil
		}
		text, err := os.ReadFile(filepath.Join(root, path))
		for _, quoted := range literal.FindAllString(string(text), -1) {
			for _, m := range named.FindAllStringSubmatch(quoted, -1) {
				n++
				says, known := words.Settings[m[1]]
				switch {
				case m[2] != "" && !settings[m[2]], m[1] != "" && !known:
					t.Errorf("%s: nothing is called %s", path, m[0])
				case known && strings.HasPrefix(m[1], "Or"):
				case m[2] == "" && (says[words.Options] == "" || says[words.Flags] == "" ||
					says[words.Caddyfile] == "" && !outsideCaddy.MatchString(path)):
					t.Errorf("%s: %s leaves a gap in a sentence", path, m[0])
				case m[2] != "" && !strings.HasPrefix(path, "cmd/servemap/") && path != "internal/page/words/words.go":
					t.Errorf("%s: only the command has %s", path, m[0])
				}
			}
		}
		return err
	})
	if base.Check(t, err); n < 100 {
		t.Errorf("only %d names were found", n)
	}
}

func TestANumberAgreesWithItsWords(t *testing.T) {
	for _, tt := range []struct {
		n          int
		word, form string // form has a text for one and for many
		want       string
	}{
		{0, "page", "", "0 pages"}, {1, "address", "", "1 address"}, {2, "linked address", "", "2 linked addresses"},
		{1000, "entry", "", "1,000 entries"}, {2, "day", "", "2 days"}, {2, "batch", "", "2 batches"}, {2, "index", "", "2 indexes"},
		{1, "", "page{|s} say{s|} so", "page says so"}, {2, "", "page{|s} say{s|} so", "pages say so"},
		{0, "", "{It was|is|are} so", "It was so"}, {1, "", "{It was|is|are} so", "is so"}, {7, "", "{It was|is|are} so", "are so"},
	} {
		if got := words.Form(tt.form, tt.n); tt.form != "" && got != tt.want {
			t.Errorf("%d of %q: %q, want %q", tt.n, tt.form, got, tt.want)
		}
		if got := words.Count(tt.n, tt.word); tt.word != "" && got != tt.want {
			t.Errorf("%d of %q: %q, want %q", tt.n, tt.word, got, tt.want)
		}
	}
}
