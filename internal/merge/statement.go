package merge

import (
	"bytes"
	"time"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/moment"
	"github.com/servemap/servemap/internal/record"
)

// statement is what the page said of itself at the last look. Looks change it; see
// witness.go.
type statement struct {
	content   admit.Reason // why it forbids its listing
	until     moment.Time  // when it is to leave (unavailable_after), 0 for never
	noFollow  bool         // its links count for nothing
	ownURL    bool         // only its own canonical vouches for its query
	self      bool         // it names itself as the canonical location
	canonical []byte       // the other location that it names so, sealed, while the page is not public
}

func (s *statement) encode(e *record.Encoder) {
	e.Uint(fieldsStatement, uint64(s.content))
	e.Date(fieldsStatement+1, s.until)
	e.Bool(fieldsStatement+2, s.noFollow)
	e.Bool(fieldsStatement+3, s.ownURL)
	e.Bool(fieldsStatement+4, s.self)
	e.Bytes(fieldsStatement+5, s.canonical)
}

func (s *statement) decode(f record.Field) bool {
	switch f.Num {
	case fieldsStatement:
		s.content = admit.Reason(f.Value)
	case fieldsStatement + 1:
		s.until = f.Date()
	case fieldsStatement + 2:
		s.noFollow = true
	case fieldsStatement + 3:
		s.ownURL = true
	case fieldsStatement + 4:
		s.self = true
	case fieldsStatement + 5:
		s.canonical = bytes.Clone(f.Data)
	default:
		return false
	}
	return true
}

// end applies the time for which the page has announced its end.
func (s *statement) end(now time.Time) {
	if s.ended(now) && s.content == admit.None {
		s.content = admit.NoIndex
	}
}

func (s *statement) ended(now time.Time) bool { return s.until != 0 && moment.Of(now) >= s.until }
