package look

import (
	"net/http"
	"strings"
	"testing"
)

func TestVarietyOf(t *testing.T) {
	const phone = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) Mobile/15E148"
	for _, tt := range []struct {
		name, vary, language, agent string
		want                        Variety
	}{
		{"does not vary", "", "de", phone, Variety{}},
		{"by what decides nothing about the text", "Accept-Encoding, Cookie", "de", phone, Variety{}},
		{"by language", "Accept-Language", "de-AT,de;q=0.9,en;q=0.8", phone, Variety{ByLanguage: true, Language: "de"}},
		{"in a list, in another case", "Origin, accept-language", "FR;q=0.5", "", Variety{ByLanguage: true, Language: "fr"}},
		{"no language", "Accept-Language", "", "", Variety{ByLanguage: true}},
		{"an endless language", "Accept-Language", strings.Repeat("x", 1000), "", Variety{ByLanguage: true, Language: strings.Repeat("x", 16)}},
		{"by what is not told apart", "User-Agent", "de", phone, Variety{}},
		{"by both", "User-Agent,Accept-Language", "it", phone, Variety{ByLanguage: true, Language: "it"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := http.Header{"Accept-Language": {tt.language}, "User-Agent": {tt.agent}}
			if got := VarietyOf(tt.vary, h); got != tt.want {
				t.Errorf("%+v, want %+v", got, tt.want)
			}
		})
	}
}
