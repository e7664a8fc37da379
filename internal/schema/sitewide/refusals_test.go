package sitewide

import (
	"testing"
	"time"

	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/schema/codec"
	"github.com/servemap/servemap/internal/testkit/base"
)

const noon = moment.Time(1_700_000_000_000)

func TestFewPagesLeaveADayByTemporaryAnswers(t *testing.T) {
	for _, tt := range []struct {
		name         string
		left, listed int
		later        time.Duration
		may          bool
	}{
		{"none", 0, 100, 0, true}, {"nine", 9, 100, 0, true}, {"ten", 10, 100, 0, false},
		{"ten, a day ago", 10, 100, 24 * time.Hour, true},
		{"ten, at a time to come", 10, 100, -time.Hour, true},
		{"a hundredth of a large site", 19, 2000, 0, true}, {"more than that", 21, 2000, 0, false},
	} {
		r := codec.Read[Refusals]((&Refusals{noon, tt.left}).Encode())
		base.Equal(t, r.At(noon.Add(tt.later)).Few(tt.listed), tt.may, "%s: another page may leave", tt.name)
	}
}
