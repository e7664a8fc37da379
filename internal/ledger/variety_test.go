package ledger

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/look"
)

// negotiated is a page in the language that a visitor prefers.
func negotiated(lang, edit string, declared bool) string {
	text := map[string]string{
		"en": "It comes in a box that keeps the rain off for a year or longer than that. Nobody has ever sent one back to us.",
		"de": "Es kommt in einer Kiste, die den Regen für ein Jahr oder länger abhält. Niemand hat je eines zurückgeschickt.",
		"fr": "Il arrive dans une boîte qui le protège de la pluie pendant un an ou plus. Personne ne nous l'a jamais rendu.",
	}[lang]
	attr := ""
	if declared {
		attr = fmt.Sprintf(" lang=%q", lang)
	}
	return fmt.Sprintf(`<html%s><head><title>Thing</title></head><body><main><h1>Thing %s</h1><p>%s</p><p>%s</p></main></body></html>`,
		attr, lang, text, edit)
}

func speaking(lang string) func(*look.Sighting) {
	return func(s *look.Sighting) {
		s.Variety = look.VarietyOf("Accept-Language", http.Header{"Accept-Language": {lang + "-XX," + lang + ";q=0.9"}})
	}
}

// A page that answers in the visitor's language does not change with the
// visitor, and an edit in one language is a change.
func TestPageInSeveralLanguages(t *testing.T) {
	for _, tt := range []struct {
		name     string
		declared bool
		langs    []string
		edited   string
	}{
		{"two, declared, the first is edited", true, []string{"en", "de"}, "en"},
		{"two, declared, the second is edited", true, []string{"en", "de"}, "de"},
		{"two, not declared, the first is edited", false, []string{"en", "de"}, "en"},
		{"two, not declared, the second is edited", false, []string{"en", "de"}, "de"},
		{"three, not declared", false, []string{"en", "de", "fr"}, "fr"},
		{"in bursts", false, []string{"en", "en", "en", "de", "de", "de"}, "de"},
	} {
		runInBubble(t, tt.name, Config{}, func(r *rig) {
			r.sight("/", html("home", "/a"))
			see := func(i int, edit string) {
				lang := tt.langs[i%len(tt.langs)]
				if lang != tt.edited {
					edit = ""
				}
				r.sight("/a", negotiated(lang, edit, tt.declared), speaking(lang))
				time.Sleep(time.Hour)
			}
			for i := range 30 {
				see(i, "")
			}
			if p := r.page("/a"); p.Changes != 0 || r.lastMod("/a") != 0 {
				r.Fatalf("%d changes of a page that stayed as it was", p.Changes)
			}
			r.restart()
			var want int64
			for i := range 4 * len(tt.langs) {
				if want == 0 && tt.langs[i%len(tt.langs)] == tt.edited {
					want = time.Now().Unix()
				}
				see(i, "From the next winter on, all of it will be made of wood that grows beside the house.")
			}
			if p := r.page("/a"); p.Changes != 1 {
				r.Errorf("%d changes, want 1", p.Changes)
			}
			r.wantLastMod("/a", want)
		})
	}
}

// A variety that was never seen before may be the first to show an edit. The edit must still
// be found in the others.
func TestEditThatANewVarietyShowsFirst(t *testing.T) {
	inBubble(t, Config{}, func(r *rig) {
		r.sight("/", html("home", "/a"))
		for range 4 {
			r.sight("/a", html("What it has said since the beginning."), speaking("en"))
			time.Sleep(time.Hour)
		}
		edited := html("This is not at all what it said in the beginning, and it is longer too.")
		r.sight("/a", edited, speaking("it"))
		if got := r.page("/a").Changes; got != 0 {
			t.Errorf("%d changes, by a visitor whose page may be another one", got)
		}
		time.Sleep(time.Hour)
		want := time.Now().Unix()
		r.sight("/a", edited, speaking("en"))
		r.wantLastMod("/a", want)
	})
}
