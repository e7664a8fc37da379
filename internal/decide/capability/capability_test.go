package capability

import (
	"os"
	"strings"
	"testing"
)

func TestLocationsThatLookLikeSecretsAreRecognised(t *testing.T) {
	tests := []struct {
		name     string
		location string
		want     bool
	}{
		{"UUID", "/s/550e8400-e29b-41d4-a716-446655440000", true},
		{"UUID of digits alone", "/s/11111111-2222-4333-8444-555555555555", true},
		{"UUID in braces", "/s/%7B550e8400-e29b-41d4-a716-446655440000%7D", true},
		{"UUID without dashes", "/s/550e8400e29b41d4a716446655440000", true},
		{"UUID as a parameter", "/s?page=550e8400-e29b-41d4-a716-446655440000", true},
		{"URN of a UUID", "/urn:uuid:6ba7b810-9dad-11d1-80b4-00c04fd430c8", true},
		{"hex of 64 bits", "/r/9f86d081884c7d65", true},
		{"hex letters alone", "/r/abcdefabcdefabcdefabcdefabcdefab", true},
		{"hex glued to a word", "/r/session9f86d081884c7d659a2feaa0", true},
		{"object id of a document store", "/n/507f1f77bcf86cd799439011", true},
		{"ULID", "/u/01ARZ3NDEKTSV4RRFFQ69G5FAV", true},
		{"JWT", "/l/eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjMifQ.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U", true},
		{"JSON in base 64", "/l/eyJpZCI6MTIzLCJleHAiOjE3", true},
		{"signed id", "/rails/active_storage/blobs/BAh7CEkiCG--e4d4f2a1b3c5d6e7f8091a2b3c4d5e6f70819203", true},
		{"base64url of 16 bytes", "/x/kP3xW9ZbT2mQv8RjLd0sYA", true},
		{"base64url with dashes", "/x/Zk-9vQx_B7w-Tr2-pLm8_Q", true},
		{"nanoid", "/x/V1StGXR8_Z5jdHi6B-myT", true},
		{"base32", "/x/JBSWY3DPEHPK3PXP", true},
		{"base62 of 8 characters", "/x/aZ3kQ9xT", true},
		{"base36 of 8 characters", "/x/x7k2q9w4", true},
		{"lower-case letters", "/x/qzxvkwjpfbhgtmzr", true},
		{"a key after a title", "/d/summer-party-photos-Zq8Lw3XvTk2P", true},
		{"a token as a parameter", "/x?page=2&ref=aZ3kQ9xTb7Lw", true},
		{"long number", "/o/4929123456789012", true},
		{"13 digits that are no book", "/o/1234567890123", true},
		{"14 digits that are no time", "/o/20261399103000", true},
		{"a long word of no language", "/x/" + strings.Repeat("xqzjkwvbp", 6), true},
		{"a digest that no folder has", "/dir_68267d1309a1af8e8297ef4c3efbcdba", true},
		{"broken escapes do not hide", "/%zz/%/550e8400-e29b-41d4-a716-446655440000%", true},
		{"escapes do not hide", "/x/%61Z3kQ9xTb7L%77", true},
		{"behind a long segment", "/" + strings.Repeat("word-", 200) + "/aZ3kQ9xTb7Lw", true},

		{"nothing", "", false},
		{"ISBN", "/isbn/9783161484100", false},
		{"time", "/web/20261121103000/start", false},
		{"date", "/archive/20261121", false},
		{"colour", "/colours/ff8800", false},
		{"camel case", "/QAbstractItemModel.html", false},
		{"a product's letters", "/manual/pgxlogdump.html", false},
		{"Chinese", "/%E5%85%B3%E4%BA%8E%E6%88%91%E4%BB%AC", false},
		{"Roman number", "/volume-mdccclxxxviii", false},
		{"words of many languages", "/zh/zhongguochuantongwenhua", false},

		// Secrets that their letters do not give away are not found.
		{"limit: a number of 10 digits", "/o/4820917364", false},
		{"limit: 6 characters", "/x/aZ3kQ9", false},
		{"limit: 12 lower-case letters", "/x/qzxvkwjpfbhg", false},
		{"limit: 13 digits like those of a book", "/o/9783161484101", false},
		{"limit: a village", "/wiki/Llanfairpwllgwyngyll", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Looks(tt.location); got != tt.want {
				t.Errorf("Looks(%q) = %v, want %v", tt.location, got, tt.want)
			}
		})
	}
}

// innocent returns locations of ordinary pages in many languages, written for this test.
func innocent(t testing.TB) []string {
	text, err := os.ReadFile("testdata/innocent.txt")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if len(lines) < 300 {
		t.Fatalf("%d innocent locations, want at least 300", len(lines))
	}
	return lines
}

func TestOrdinaryLocationsAreNotTakenForSecrets(t *testing.T) {
	var alarms []string
	for _, location := range innocent(t) {
		if Looks(location) {
			alarms = append(alarms, location)
		}
	}
	if len(alarms) > 1 {
		t.Errorf("%d false alarms, want at most 1: %q", len(alarms), alarms)
	}
}
