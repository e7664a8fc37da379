package tally

import (
	"testing"
	"time"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/index/merge"
)

func TestPassCountsWhatChangesMeanwhile(t *testing.T) {
	listed, waiting := eligibility.Standing{Verdict: eligibility.Listed, Reason: eligibility.ByLink},
		eligibility.Standing{Verdict: eligibility.Waiting, Reason: eligibility.NoEvidence}
	s := New(new(merge.Site), nil)
	s.BeginPass()
	s.CountTo("c", []Counted{{"a", listed}, {"c", waiting}})
	// two behind the pass, one before it
	s.Stored(&merge.Counts{Moves: []merge.Move{{Key: "b", From: eligibility.Standing{}, To: listed},
		{Key: "c", From: waiting, To: listed}, {Key: "d", From: eligibility.Standing{}, To: listed}}}, time.Now())
	s.CountTo("m", []Counted{{"d", listed}})
	// again one behind the pass
	s.Stored(&merge.Counts{Moves: []merge.Move{{Key: "e", From: eligibility.Standing{}, To: listed},
		{Key: "n", From: eligibility.Standing{}, To: waiting}}}, time.Now())
	s.EndPass(time.Now())
	if got := s.Listed(); got != 5 {
		t.Errorf("%d are listed, want 5", got)
	}
	s.Stored(&merge.Counts{Moves: []merge.Move{{Key: "a", From: listed, To: eligibility.Standing{}}}}, time.Now())
	if got := s.Counts(); len(got) != 1 || got[0] != (Count{eligibility.Listed, eligibility.ByLink, 4}) {
		t.Errorf("counts %v", got)
	}
}
