package sitewide

import (
	"testing"
	"time"

	"github.com/servemap/servemap/internal/decide/moment"
)

func TestActivityCountsTheTimeOfObservation(t *testing.T) {
	const day = 24 * 60 * 60
	at := func(days ...int64) (a Activity) {
		for _, d := range days {
			a = a.Observed(moment.Seconds(d*day), 24*time.Hour)
		}
		return a
	}
	for _, tt := range []struct {
		name  string
		a     Activity
		since int64
		want  int
	}{
		{"never", Activity{}, 0, 0},
		{"one day", at(100), 99, 1},
		{"the day itself does not count", at(100), 100, 0},
		{"three of five days", at(100, 102, 104), 99, 3},
		{"only later ones count", at(100, 102, 104), 100, 2},
		{"twice in a day", at(100, 100, 100), 99, 1},
		{"a clock that went back", at(100, 50), 49, 1},
		{"a clock that jumped ahead", at(100, 101, 9000), 99, 1},
		{"the last 64 spans at most", at(0, 10, 20, 30, 40, 50, 60, 70), -100, 7},
		{"a date after the last one", at(100), 200, 0},
		{"spans of another length", at(100, 101, 102).Observed(moment.Seconds(103*day), 48*time.Hour), 0, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.a.since(moment.Seconds(tt.since * day)); got != tt.want {
				t.Errorf("%d spans, want %d", got, tt.want)
			}
			if got := ReadActivity(tt.a.Encode()); got != tt.a {
				t.Errorf("stored as %+v, want %+v", got, tt.a)
			}
		})
	}
}

func TestUnseenPagesLeaveAfterEnoughActivity(t *testing.T) {
	for _, tt := range []struct {
		name    string
		keepFor time.Duration
		spans   int
		want    bool
	}{
		{"after 7 spans", 64 * time.Hour, 7, false},
		{"after 8 spans", 64 * time.Hour, 8, true},
		{"after 8 spans of a minute, the least", time.Second, 8, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			seen, length := moment.Seconds(1_700_000_000), SpanLength(tt.keepFor)
			var a Activity
			for i := range tt.spans {
				a = a.Observed(seen.Add(time.Duration(i+1)*length), length)
			}
			if got := a.Enough(seen); got != tt.want {
				t.Errorf("enough: %t, want %t", got, tt.want)
			}
		})
	}
}
