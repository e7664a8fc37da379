package sitewide

import (
	"testing"
	"time"

	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/schema/codec"
)

func TestUnseenPagesLeaveAfterEnoughActivity(t *testing.T) {
	const span, began = 24 * time.Hour, 10_000
	at := func(day int64) moment.Time { return moment.Seconds(day * 24 * 60 * 60) }
	for _, tt := range []struct {
		name   string
		days   []int64 // of the observations, after the first
		unseen int64   // since this day
		want   bool
	}{
		{"never observed", nil, 0, false},
		{"eight days", []int64{0, 1, 2, 3, 4, 5, 6, 7, 8}, 0, true},
		{"seven days", []int64{0, 1, 2, 3, 4, 5, 6, 7}, 0, false},
		{"twice in eight days", []int64{0, 5, 8}, 0, true},
		{"a page that was seen meanwhile", []int64{0, 5, 8}, 1, false},
		{"after a break", []int64{0, 5, 8, 16, 20}, 0, false},
		{"eight days after a break", []int64{0, 5, 8, 16, 20, 24}, 0, true},
		{"a clock that went back", []int64{0, 5, 9, 1}, 0, false},
		{"a clock that jumped ahead", []int64{0, 5, 7, 9000}, 0, false},
	} {
		var a Activity
		for _, day := range tt.days {
			a = a.Observed(at(began+day), span)
			a = a.Observed(at(began+day)+1, span) // it does not change within a span
		}
		if got := a.Enough(at(began+tt.unseen), span); got != tt.want {
			t.Errorf("%s: enough: %t, want %t; %+v", tt.name, got, tt.want, a)
		}
		if got := codec.Read[Activity](a.Encode()); got != a || a.Last%1000 != 0 {
			t.Errorf("%s: stored as %+v, want %+v", tt.name, got, a)
		}
	}
}
