package capture

import (
	"net/http"

	"github.com/servemap/servemap/internal/page/response"
)

// sniffLen is how many bytes http.DetectContentType looks at.
const sniffLen = 512

// observe notes bytes that w accepted. The header is out by then.
func observe[T string | []byte](t *tap, p T) {
	t.seen.Written += int64(len(p))
	switch t.stage {
	case sniffing:
		sniff(t, p)
	case keeping:
		keep(t, p)
	}
}

// sniff collects the first bytes across small writes, as net/http's own buffer does. Once there are
// enough, it settles the type.
func sniff[T string | []byte](t *tap, p T) {
	head := p[:min(len(p), sniffLen-len(t.seen.Body))]
	keep(t, head)
	if t.seen.Truncated || len(t.seen.Body) == sniffLen {
		t.sniffed()
	}
	if t.stage == keeping {
		keep(t, p[len(head):])
	}
}

// sniffed settles a type that is still open by the bytes so far, because net/http must now send the
// header.
func (t *tap) sniffed() {
	s := t.seen
	switch {
	case t.stage != sniffing:
	case len(s.Body) > 0:
		t.settle(s.Body)
	case s.Truncated: // there was no memory for the first bytes, so the type stays unknown
		t.stage = skipping
	default:
		t.settle(nil)
	}
}

// settle ends the sniffing. start is the beginning of the body; if it is empty, net/http sends no
// type.
func (t *tap) settle(start []byte) {
	s := t.seen
	if len(start) > 0 {
		sniffed := http.DetectContentType(start)
		if s.Header.ContentType != "" { // under a key in another spelling: the client gets two types
			sniffed = s.Header.ContentType + ", " + sniffed
		}
		s.Header.ContentType = sniffed
	}
	if t.stage = judgeTyped(t.wants, t.get, &s.Header); t.stage == skipping {
		s.Release()
		s.Truncated = false
	}
}

func keep[T string | []byte](t *tap, p T) { response.Keep(t.buffers, t.seen.Response, p, t.limits) }

// clamp corrects a count that a faulty writer returned to at least 0 and at most most.
func clamp(n, most int) int { return min(max(n, 0), most) }
