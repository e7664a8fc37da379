package novelty

import (
	"strconv"
	"testing"
)

func TestNoMoreIsRememberedThanSaid(t *testing.T) {
	const most = 50
	s := New(most)
	for i := range 3 * most {
		s.News(strconv.Itoa(i))
	}
	if len(s.seen) > most {
		t.Errorf("%d texts and names", len(s.seen))
	}
}
