package storetest

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/servemap/servemap/internal/testkit/strict"
	"github.com/servemap/servemap/store"
)

func TestStrictRejectsBadCallers(t *testing.T) {
	runs := 0
	var buf []byte
	for _, c := range []struct {
		name string
		fn   func(values [][]byte) error
		keys []string
		want string // in the text of its error
	}{
		{"counts its runs", func(values [][]byte) error {
			runs++
			values[0] = []byte{byte(runs)}
			return nil
		}, []string{"k"}, "not pure"},
		{"fails the second time", func([][]byte) error {
			if runs++; runs%2 == 0 {
				return errors.New("enough")
			}
			return nil
		}, []string{"k"}, "not pure"},
		{"keeps a slice for the next run", func(values [][]byte) error {
			if buf == nil {
				buf = values[0]
			}
			values[1] = clone(buf)
			return nil
		}, []string{"k", "l"}, "not pure"},
		{"writes too much", func(values [][]byte) error {
			values[0] = make([]byte, store.MaxValue+1)
			return nil
		}, []string{"k"}, "at most"},
		{"has a key twice", func([][]byte) error { return nil }, []string{"k", "k"}, "the same"},
	} {
		t.Run(c.name, func(t *testing.T) {
			runs, buf = 0, nil
			inner := sound()
			pair{inner, inner}.put(t, "k", []byte("value"))
			var rec recorder
			_ = strict.New(&rec, inner).Update(context.Background(), c.keys, c.fn)
			if said := strings.Join(rec.failures, "; "); !strings.Contains(said, c.want) {
				t.Errorf("strict says %q of a caller that %s, want %q", said, c.name, c.want)
			}
		})
	}
}
