package ledger

import (
	"math/rand/v2"
	"testing"

	"github.com/servemap/servemap/internal/rate"
)

func TestTheWordIsWhatTheEstimateSays(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 0))
		s := &state{rate: rate.Estimate{}.Saw(1700000000, false)}
		for range 300 {
			at := s.rate.LastVisit() + 1 + r.Int64N(7200)
			s.rate = s.rate.Saw(at, r.IntN(100) == 0)
			want, chance := s.rate.Freq()
			if f, p := s.freq(); f != want || p != chance {
				t.Fatalf("seed %d: %v with %v, want %v with %v", seed, f, p, want, chance)
			}
			back, err := decodeState(s.encode())
			if err != nil || back.word.freq != want || back.word.chance != chance {
				t.Fatalf("seed %d: remembered as %+v, %v, want %v with %v", seed, back.word, err, want, chance)
			}
			s = back
		}
	}
}

func TestTheWordIsReadOnceForManyQuietLooks(t *testing.T) {
	s := &state{rate: rate.Estimate{}.Saw(1700000000, false)}
	read := 0
	for range 1440 {
		s.rate = s.rate.Saw(s.rate.LastVisit()+60, false)
		was := s.word
		if s.freq(); s.word != was {
			read++
		}
	}
	if read > 300 {
		t.Errorf("read %d times in 1440 quiet looks, a minute apart", read)
	}
}

func TestTheWordOfAnotherEstimateIsForgotten(t *testing.T) {
	s := &state{rate: rate.Estimate{}.Saw(1700000000, false).Saw(1700000060, true)}
	s.freq()
	v := s.word.encode(s.rate)
	for _, tt := range []struct {
		name string
		v    uint64
		r    rate.Estimate
	}{
		{"none", 0, s.rate},
		{"no estimate", v, rate.Estimate{}},
		{"more than certain", 1001<<3 | 2, s.rate},
	} {
		if w := decodeWord(tt.v, tt.r); w != (word{}) {
			t.Errorf("%s: %+v", tt.name, w)
		}
	}
	if got := s.word.encode(s.rate.Saw(1700000120, true)); got != 0 {
		t.Errorf("the word of an estimate before the last change is written as %d", got)
	}
}
