package words

import (
	"strings"
	"testing"
)

func TestEachStyleNamesASettingAsItsOwnerWritesIt(t *testing.T) {
	t.Cleanup(func() { Use(Library) })
	const none = "" // the owner has no such text
	for _, tt := range []struct {
		name string
		says func() string
		want [4]string // by style
	}{
		{"an option", func() string { return Say("see {Hosts}.") }, [4]string{"see Options.Hosts.", "see -hosts.", "see hosts.", "see Options.Hosts."}},
		{"a line of a Caddyfile", func() string { return Say("{Query}") }, [4]string{"Options.Query", "-query", "query", "query"}},
		{"several lines", func() string { return Say("{Rules}") },
			[4]string{"Options.Rules", "-never, -always, -public or -query", "never, always, public or query", "never, always, public or query"}},
		{"a list", func() string { return Typed("{Query}", "id", "lang") }, [4]string{"Options.Query", "-query id,lang", `query = ["id", "lang"]`, "query id lang"}},
		{"a rule", func() string { return Typed("{NeverThis}", "/it's$") },
			[4]string{`servemap.Rule{Pattern: "/it's$", List: servemap.DecisionNever} in Options.Rules`, `-never '/it'\''s$'`, `never = ["/it's$"]`, "never /it's$"}},
		{"a setting of the command", func() string { return Say("give {-to=http://localhost:3000}, not {-folder}") },
			[4]string{none, "give -to http://localhost:3000, not -folder", `give to = "http://localhost:3000", not folder`, none}},
		{"other braces", func() string { return Say("/{id}") }, [4]string{"/{id}", "/{id}", "/{id}", "/{id}"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for style, want := range tt.want {
				Use(Style(style))
				if got := tt.says(); want != none && got != want {
					t.Errorf("style %d: %s, want %s", style, got, want)
				}
			}
		})
	}
}

func TestOnlyAnAdditionHasNoWordsForTheCommand(t *testing.T) {
	for name, s := range settings {
		if s.library == "" || s.command == "" && !strings.HasPrefix(name, "Or") {
			t.Errorf("%s leaves a gap in a sentence", name)
		}
	}
}
