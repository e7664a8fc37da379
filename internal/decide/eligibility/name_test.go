package eligibility

import (
	"os"
	"strings"
	"testing"

	"github.com/servemap/servemap/internal/testkit/base"
)

// names-account.txt has names that only one person should know or that no visitor should find, and
// names-page.txt names of pages.
func TestOnlyNamesInWordsAreOrdinary(t *testing.T) {
	for file, want := range map[string]bool{"names-account.txt": false, "names-page.txt": true} {
		most := map[bool]int{true: 2}[want] // that may be wrong
		text, err := os.ReadFile("testdata/" + file)
		base.Check(t, err)
		wrong, all := []string{}, strings.Fields(string(text))
		for _, name := range all {
			if Ordinary(name) != want {
				wrong = append(wrong, name)
			}
		}
		if len(wrong) > most || len(all) < 80 {
			t.Errorf("%s: %d of %d are taken for something else: %s", file, len(wrong), len(all), wrong)
		}
	}
}

func TestNoPartOfAnAddressIsLeftOut(t *testing.T) {
	for own, want := range map[string]bool{
		"/sess/ab12cd/page?": false, "/guides/brittany/coast?": true, "/2026/11/21/election-night?": true, "/docs/v1.22.3/intro.html?": true,
		"spring?page=3": true, "spring?page=100234": false, "spring?of=jane%40example.com": false, "?": true,
	} {
		if got := Ordinary(own); got != want {
			t.Errorf("%s: %v", own, got)
		}
	}
}
