package sights

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/schema/keys"
	"github.com/servemap/servemap/internal/schema/pagerecord"
	"github.com/servemap/servemap/internal/testkit/base"
	"github.com/servemap/servemap/store/memstore"
)

func TestSightsAreBounded(t *testing.T) {
	const ours = keys.Keys("s|")
	s := New(new(memstore.Store), ours)
	record := func(n int) []byte {
		p := &pagerecord.Page{}
		p.Observations, p.Witnessed = uint64(n), true
		return p.Encode()
	}
	put := func(key string, value []byte) {
		base.Check(t, s.Update(t.Context(), []string{key}, func(values [][]byte) error {
			values[0] = value
			return nil
		}))
	}
	long := string(bytes.Repeat([]byte("x"), 1000))
	more := most/1000 + 100
	for i := range more {
		key := ours.Page(fmt.Sprintf("/%s%d", long, i))
		put(key, record(1))
		put(key, record(2))
	}
	if s.size > most+2000 || len(s.last) >= more {
		t.Errorf("%d sights have %d bytes", len(s.last), s.size)
	}
	if now := time.Now(); s.Due(now) != now {
		t.Error("they are not stored soon")
	}
	base.Check(t, s.Save(t.Context()))
	if len(s.last) != 0 || s.size != 0 || !s.Due(time.Now()).IsZero() {
		t.Errorf("after that, %d sights have %d bytes", len(s.last), s.size)
	}
	for r, err := range s.Store.Scan(t.Context(), "", "") {
		if base.Check(t, err); !bytes.Equal(r.Value, record(2)) {
			t.Fatalf("%.20s is not stored as it was seen last", r.Key)
		}
	}
}
