package merge

import (
	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/keys"
	"github.com/servemap/servemap/internal/mark"
	"github.com/servemap/servemap/internal/rate"
	"github.com/servemap/servemap/internal/record"
)

// The fields of a page's record. A number is never used again for something else.
const (
	fieldVerdict = 1
	fieldReason  = 2
	fieldBarred  = 3
	fieldMark    = 4
	fieldRate    = 5
	fieldUnique  = 6 // varieties
	fieldLinks   = 7 // newLinks

	// Each value has the ten numbers from its own on.
	fieldsPresence  = 10
	fieldsDoubt     = 20
	fieldsStatement = 30
	fieldsEvidence  = 40 // two tens
	fieldsRedirect  = 60
	fieldsReading   = 70
	fieldsCopies    = 80
	fieldsLanguages = 90
	fieldsRanking   = 100
	fieldsListing   = 110
	fieldsDates     = 120 // the last one, as it has more
)

func (s *Page) encode() []byte {
	var e record.Encoder
	e.Uint(fieldVerdict, uint64(s.Verdict))
	e.Uint(fieldReason, uint64(s.Reason))
	e.Bool(fieldBarred, s.barred)
	e.Bytes(fieldMark, s.mark.AppendBinary(nil))
	if s.rate != (rate.Estimate{}) {
		e.Bytes(fieldRate, s.rate.AppendBinary(nil))
	}
	e.Bytes(fieldUnique, encodeShorts(s.varieties))
	e.Bytes(fieldLinks, s.newLinks.encode())
	s.presence.encode(&e)
	s.doubt.encode(&e)
	s.statement.encode(&e)
	s.evidence.encode(&e)
	s.redirect.encode(&e)
	s.reading.encode(&e)
	s.copies.encode(&e)
	s.languages.encode(&e)
	s.ranking.encode(&e)
	s.listing.encode(&e)
	s.dates.Encode(&e, fieldsDates)
	e.Keep(s.unread)
	return e.Seal()
}

// Decode reads the record of a page. A mark or an estimate that cannot be read begins
// anew; everything else is kept.
func Decode(b []byte) (*Page, error) {
	s := new(Page)
	unread, err := record.Read(b, func(f record.Field) bool {
		return s.decode(f) || s.presence.decode(f) || s.doubt.decode(f) || s.statement.decode(f) ||
			s.evidence.decode(f) || s.redirect.decode(f) || s.reading.decode(f) || s.copies.decode(f) ||
			s.languages.decode(f) || s.ranking.decode(f) || s.listing.decode(f) || s.dates.Decode(f, fieldsDates)
	})
	if err != nil {
		return nil, err
	}
	if s.part > keys.MaxPart || s.Listed() && s.part == 0 {
		return nil, record.ErrDamaged // no page is listed there
	}
	s.unread = unread
	s.loaded = loaded{known: true, listed: s.Listed(), counted: s.Standing, change: s.dates.LastChange()}
	return s, nil
}

func (s *Page) decode(f record.Field) bool {
	switch f.Num {
	case fieldVerdict:
		s.Verdict = admit.Verdict(f.Value)
	case fieldReason:
		s.Reason = admit.Reason(f.Value)
	case fieldBarred:
		s.barred = true
	case fieldMark:
		s.mark, _ = mark.Parse(f.Data)
	case fieldRate:
		s.rate, _ = rate.Parse(f.Data)
	case fieldUnique:
		s.varieties = decodeShorts(f.Data)
	case fieldLinks:
		s.newLinks = decodeNewLinks(f.Data)
	default:
		return false
	}
	return true
}
