package capability

import (
	"os"
	"strings"
	"testing"

	"github.com/servemap/servemap/internal/testkit/base"
)

// lines returns the lines of a file in testdata that are no comments.
func lines(t *testing.T, name string) (all []string) {
	text, err := os.ReadFile("testdata/" + name)
	base.Check(t, err)
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "# ") {
			all = append(all, strings.TrimSpace(line))
		}
	}
	return all
}

func TestLocationsThatLookLikeSecretsAreRecognised(t *testing.T) {
	all := lines(t, "looks.txt")
	for _, line := range all {
		if location := line[strings.LastIndexByte(line, ' ')+1:]; Looks(location) != strings.HasPrefix(line, "yes") {
			t.Errorf("%s: it looks like a secret: %v", line, Looks(location))
		}
	}
	if len(all) < 45 || Looks("") {
		t.Errorf("%d locations; nothing looks like a secret: %v", len(all), Looks(""))
	}
}

// innocent.txt has locations of ordinary pages in many languages, written for this test.
func TestOrdinaryLocationsAreNotTakenForSecrets(t *testing.T) {
	var alarms []string
	all := lines(t, "innocent.txt")
	for _, location := range all {
		if Looks(location) {
			alarms = append(alarms, location)
		}
	}
	if len(all) < 300 || len(alarms) > 1 {
		t.Errorf("%d false alarms of %d, want at most 1: %q", len(alarms), len(all), alarms)
	}
}
