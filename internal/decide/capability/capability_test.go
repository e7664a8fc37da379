package capability

import (
	"encoding/base64"
	"flag"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/servemap/servemap/internal/testkit/base"
)

// lines returns the lines of a file that are no comments.
func lines(t *testing.T, name string) (all []string) {
	text, err := os.ReadFile(name)
	base.Check(t, err)
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "# ") {
			all = append(all, strings.TrimSpace(line))
		}
	}
	return all
}

func TestLocationsThatLookLikeSecretsAreRecognised(t *testing.T) {
	all := lines(t, "testdata/looks.txt")
	for _, line := range all {
		if location := line[strings.LastIndexByte(line, ' ')+1:]; Looks(location) != strings.HasPrefix(line, "yes") {
			t.Errorf("%s: it looks like a secret: %v", line, Looks(location))
		}
	}
	if len(all) < 45 || Looks("") {
		t.Errorf("%d locations; nothing looks like a secret: %v", len(all), Looks(""))
	}
}

// innocent.txt has locations of ordinary pages in many languages, written for this test. With -v and -args FILES, the
// test says how many of the paths in these look like secrets.
func TestOrdinaryLocationsAreNotTakenForSecrets(t *testing.T) {
	for _, name := range append(flag.Args(), "testdata/innocent.txt") {
		var alarms []string
		all := lines(t, name)
		for _, location := range all {
			if Looks(location) {
				alarms = append(alarms, location)
			}
		}
		t.Logf("%s: %d of %d, %.2f %%: %.200q", name, len(alarms), len(all), 100*float64(len(alarms))/float64(len(all)),
			alarms[:min(len(alarms), 5)])
		if strings.HasPrefix(name, "testdata/") && (len(all) < 300 || len(alarms) > 4) {
			t.Errorf("%d false alarms of %d, want at most 4: %q", len(alarms), len(all), alarms)
		}
	}
}

// Random secrets, as common software makes them, are found in such shares at least. -v prints the shares.
func TestRandomSecretsAreFound(t *testing.T) {
	const (
		digits, small, capitals = "0123456789", "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
		hex, base36, base62     = digits + "abcdef", digits + small, digits + small + capitals
		base64url               = base62 + "-_"
		n                       = 20_000
	)
	base58 := strings.NewReplacer("0", "", "O", "", "I", "", "l", "").Replace(base62)
	r := rand.New(rand.NewPCG(1, 2))
	// like replaces each x of a shape by a random character.
	like := func(shape, alphabet string) string {
		token := []byte(shape)
		for i := range token {
			if token[i] == 'x' {
				token[i] = alphabet[r.IntN(len(alphabet))]
			}
		}
		return string(token)
	}
	jwt := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"HS256"}`)) + "." + strings.Repeat("x", 40) + "." +
		strings.Repeat("x", 43)
	for _, tt := range []struct {
		name, shape, alphabet string
		found                 float64 // in percent
	}{
		{"UUID", "xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx", hex, 100},
		{"JSON web token", jwt, base64url, 100},
		{"hexadecimal", strings.Repeat("x", 32), hex, 100},
		{"hexadecimal", strings.Repeat("x", 16), hex, 99.5},
		{"hexadecimal", strings.Repeat("x", 8), hex, 90},
		{"base64url", strings.Repeat("x", 43), base64url, 99.9},
		{"base64url", strings.Repeat("x", 22), base64url, 98.5},
		{"nanoid", strings.Repeat("x", 21), base64url, 98},
		{"base64url", strings.Repeat("x", 16), base64url, 95},
		{"a name of a video", strings.Repeat("x", 11), base64url, 86},
		{"base64url", strings.Repeat("x", 8), base64url, 78},
		{"base62", strings.Repeat("x", 22), base62, 99.5},
		{"base62", strings.Repeat("x", 16), base62, 98.5},
		{"base62", strings.Repeat("x", 8), base62, 84},
		{"base62 after a title", "my-holiday-photos-" + strings.Repeat("x", 16), base62, 98.5},
		{"base58", strings.Repeat("x", 22), base58, 99.5},
		{"base58", strings.Repeat("x", 8), base58, 83},
		{"base36, capitals", strings.Repeat("x", 16), digits + capitals, 98},
		{"base36", strings.Repeat("x", 25), base36, 99},
		{"base36", strings.Repeat("x", 16), base36, 93},
		{"base36", strings.Repeat("x", 8), base36, 75},
		{"letters alone", strings.Repeat("x", 10), small, 0},
	} {
		found := 0
		for range n {
			if Looks("/a/" + like(tt.shape, tt.alphabet)) {
				found++
			}
		}
		share := 100 * float64(found) / n
		t.Logf("%-22s %3d characters: %6.2f %%", tt.name, len(tt.shape), share)
		if share < tt.found {
			t.Errorf("%s of %d characters: %.2f %% found, want %.2f %%", tt.name, len(tt.shape), share, tt.found)
		}
	}
}
