package main

import (
	"net/http"
	"testing"

	"github.com/servemap/servemap/internal/eval/kit"
)

func TestDiffCountsThePagesAndDatesThatDiffer(t *testing.T) {
	day := func(n string) kit.Entry { return kit.Entry{LastMod: "2026-01-0" + n + "T00:00:00Z"} }
	one := &kit.Sitemap{Pages: map[string]kit.Entry{"/a": day("1"), "/b": {ChangeFreq: "daily"}, "/c": {}, "/d": day("2")}}
	fleet := &kit.Sitemap{Pages: map[string]kit.Entry{"/a": day("1"), "/b": {ChangeFreq: "daily"}, "/d": {ChangeFreq: "daily"}, "/e": {}, "/f": {}}}
	want := difference{both: 3, onlyOne: 1, onlyFleet: 2, dates: 2, labels: 2, dated: 2, labelled: 1}
	if got := diff(one, fleet); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestAnswersFitIfThePageJustWent(t *testing.T) {
	for _, tt := range []struct {
		name      string
		got, want int
		fits      bool
	}{
		{"the same", http.StatusNotFound, http.StatusNotFound, true},
		{"a page that goes meanwhile", http.StatusGone, http.StatusOK, true},
		{"one that had gone a moment before", http.StatusOK, http.StatusGone, true},
		{"a failure in place of a page", http.StatusInternalServerError, http.StatusOK, false},
		{"a failure in place of one that is gone", http.StatusBadGateway, http.StatusGone, false},
		{"a page in place of a failure", http.StatusOK, http.StatusInternalServerError, false},
	} {
		if got := fits(tt.got, tt.want); got != tt.fits {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.fits)
		}
	}
}
