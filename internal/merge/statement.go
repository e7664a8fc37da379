package merge

import (
	"time"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/moment"
)

// end applies the time for which the page has announced its end.
func (s *statement) end(now time.Time) {
	if s.ended(now) && s.content == admit.None {
		s.content = admit.NoIndex
	}
}

func (s *statement) ended(now time.Time) bool { return s.until != 0 && moment.Of(now) >= s.until }
