package ledger

import (
	"encoding/hex"
	"maps"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/record"
)

func TestBulletinEncoding(t *testing.T) {
	n := bulletin{seq: 300, at: 1_700_000_000_000, lost: 7, parts: []toldPart{{1, 9}, {40_000, 300}}, topics: [topics]uint64{2, 3, 4, 5}}
	stored := n.encode()
	const golden = "0108ac0210" + "80a0abfef962" + "1807220701" + "09c0b802ac02" + "5002580360046805"
	if got := hex.EncodeToString(stored[:len(stored)-4]); got != golden {
		t.Errorf("encoded as %s, want %s", got, golden)
	}
	if got := readBulletin(stored); !reflect.DeepEqual(got, n) {
		t.Errorf("read as %+v, want %+v", got, n)
	}
	if got := readBulletin(nil); !reflect.DeepEqual(got, bulletin{}) {
		t.Errorf("no record is read as %+v", got)
	}
}

func TestChangesSince(t *testing.T) {
	parts := func(numbers ...int) map[int]bool {
		all := map[int]bool{}
		for _, n := range numbers {
			all[n] = true
		}
		return all
	}
	var n bulletin
	for i := range 10 { // the change with number i+1 is of part i
		n = n.with(parts(i), nil, time.UnixMilli(int64(i)))
	}
	n = n.with(parts(3), []topic{robotsTopic}, time.UnixMilli(11))
	many := n
	for i := range partsTold {
		many = many.with(parts(100+i), nil, time.UnixMilli(12))
	}
	later := n
	later.seq, later.more = 12, 12
	tests := []struct {
		name     string
		bulletin bulletin
		seen     uint64
		all      bool
		parts    []int
		robots   bool
	}{
		{"nothing since", n, 11, false, nil, false},
		{"one part, changed twice, and a topic", n, 10, false, []int{3}, true},
		{"several parts", n, 8, false, []int{3, 8, 9}, true},
		{"a process that was never heard of", n, 0, false, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, true},
		{"a record that began anew", n, 12, true, nil, false},
		{"more parts than are told one by one", many, 5, true, nil, false},
		{"all the parts that are told", many, 11, false, numbersFrom(100, partsTold), false},
		{"a topic of a later version", later, 11, true, nil, false},
		{"a topic of a later version, seen before", later, 12, false, nil, false},
		{"a record that cannot be read", readBulletin([]byte("damaged")), 0, true, nil, false},
		{"one that could not be read before either", readBulletin([]byte("damaged")), readBulletin([]byte("damaged")).seq, false, nil, false},
		{"another one", readBulletin([]byte("damaged again")), readBulletin([]byte("damaged")).seq, true, nil, false},
		{"one that was written over what could not be read", readBulletin([]byte("damaged")).with(parts(1), nil, time.UnixMilli(1)), 0, false, []int{1}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := changes{parts: map[int]bool{}}
			c.since(tt.bulletin, tt.seen)
			if c.all != tt.all || !slices.Equal(slices.Sorted(maps.Keys(c.parts)), tt.parts) || c.topics[robotsTopic] != tt.robots {
				t.Errorf("%+v, want all %v, parts %v, robots %v", c, tt.all, tt.parts, tt.robots)
			}
		})
	}
	if len(many.parts) != partsTold {
		t.Errorf("%d parts are told, want %d", len(many.parts), partsTold)
	}
}

// A process whose record was erased, as it had long changed nothing, is heard of
// also by who did not see that there was none.
func TestABulletinThatBeginsAnew(t *testing.T) {
	first := time.UnixMilli(1_700_000_000_000)
	told := func(part int, at time.Time) (n bulletin) {
		for range 3 {
			n = n.with(map[int]bool{part: true}, nil, at)
		}
		return n
	}
	seen := told(1, first).seq
	for name, next := range map[string]time.Time{"later": first.Add(25 * time.Hour), "after the clock was set back": first.Add(-25 * time.Hour)} {
		c := changes{parts: map[int]bool{}}
		if c.since(told(2, next), seen); !c.all && !c.parts[2] {
			t.Errorf("%s: nothing is told", name)
		}
	}
}

func numbersFrom(first, n int) (all []int) {
	for i := range n {
		all = append(all, first+i)
	}
	return all
}

// What a later version tells beside is nothing to this one's, and is not passed
// over either.
func TestABulletinOfALaterVersion(t *testing.T) {
	var e record.Encoder
	e.Uint(bulletinSeq, 5)
	e.Bytes(9, []byte("more"))
	e.Uint(bulletinTopics+int(topics), 4)
	n := readBulletin(e.Seal())
	if n.seq != 5 || n.more != 4 {
		t.Errorf("read as %+v", n)
	}
}
