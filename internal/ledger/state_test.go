package ledger

import (
	"encoding/hex"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/lastmod"
	"github.com/servemap/servemap/internal/mark"
	"github.com/servemap/servemap/internal/moment"
	"github.com/servemap/servemap/internal/page"
	"github.com/servemap/servemap/internal/rate"
	"github.com/servemap/servemap/internal/record"
	"github.com/servemap/servemap/internal/tap"
)

// witness is the response that shows a page.
func witness(body string) *tap.Response {
	return &tap.Response{Status: 200, Header: tap.Header{ContentType: "text/html"}, Body: []byte(body), Complete: true}
}

// full is a state with no field at its zero value.
// changedDates are those of a page whose change at 1700000100 was seen.
func changedDates() (d lastmod.Dates) {
	for i := range moment.Time(2) {
		d, _ = d.Look(lastmod.Look{
			At: moment.Seconds(1700000000) + 100_000*i, Before: moment.Seconds(1700000000) * i, First: i == 0,
			Outcome: mark.Changed * mark.Outcome(i), Since: moment.Seconds(1700000100),
			Given: lastmod.Given[moment.Time]{lastmod.Server: moment.Seconds(1690000000)},
		}, lastmod.Trust{})
	}
	return d
}

func full() *state {
	m, _ := mark.Parse(append([]byte{1}, "\x22\x22\x22\x22\x22\x22\x22\x22\x11\x11\x11\x11\x11\x11\x11\x11"...))
	s := &state{
		verdict: admit.Listed, reason: admit.ByLink,
		firstSeen: 1700000000, lastSeen: 1700000123456, status: 200, looks: 7,
		witnessed: true, absent: admit.NotFound, missing: 1700000200000, missingWhy: admit.Denied, missingNet: 9,
		content: admit.NoIndex, noFollow: true, ownURL: true, barred: true,
		route: true, variable: true, link: true, linkAt: 1700000001, linkNet: 7, shown: true, unprompted: true, query: true,
		hop: 2, networks: []uint16{1, 0xffff}, group: 0xabcdef, counted: sibling, target: 5, nextTarget: 6,
		targetAt: 1700000003000, targetNet: 9, nextAt: 1700000004000,
		bodyHash: 0x0123456789abcdef, tagHash: 0xfedcba9876543210, read: true,
		open: unproven, readAt: 1700000002, readNet: 8, showing: 9, joined: 10, shared: true, crowd: true, self: true, canonical: []byte("sealed"),
		mark: m, rate: rate.Estimate{}.Saw(1700000000, false).Saw(1700000100, true),
		dates: changedDates(), until: moment.Seconds(1800000000), part: 3,
		claims: []claim{{"de", 11}, {"x-default", 12}}, peers: []peer{{"de", "/de/"}},
		logged:    1700000200001,
		varieties: []uint16{0x1235, 0xfffe}, inbound: 0x80000001, priority: 7,
		newLinks: []newLink{{1700000110, 13}, {1700000111, 14}},
		stored:   standing{admit.Listed, admit.ByLink}, storedChanged: moment.Seconds(1700000100),
	}
	return s
}

func TestStateKeepsEveryField(t *testing.T) {
	want := full()
	v := reflect.ValueOf(*want)
	for i := range v.NumField() {
		if name := v.Type().Field(i).Name; v.Field(i).IsZero() && name != "unread" && name != "announced" {
			t.Errorf("field %s is zero, so this test would not notice its loss", name)
		}
	}
	got, err := decodeState(want.encode())
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("decoded\n%+v, want\n%+v", got, want)
	}
	if got, err := decodeState(new(state).encode()); err != nil || !reflect.DeepEqual(got, new(state)) {
		t.Errorf("the zero state decodes as %+v, %v", got, err)
	}
}

// TestGoldenState pins the encoding: a change of it is a change of every record
// that anybody has stored.
func TestGoldenState(t *testing.T) {
	const golden = "01080310041880c49fd50c2080a9bafef96228c8013007380140164880d5c3fef9625017580b60016801700178018001018801029201040001ffff9901efcdab0000000000a00101a901efcdab8967452301b1011032547698badcfeb80101c2010a02022222222211111111ca01198600006553f1646553f1640000c1001d000000000000001001d00103d9010500000000000000e1010600000000000000e80101f00182c49fd50cf80107800201880202900284c49fd50c980208a1020900000000000000a9020a00000000000000b00201b80201c202067365616c6564a00601a806c8c59fd50cc20602c701ca06060080eadacb0cc80280c8ceb40dd2020a000000000000000b6465d20211000000000000000c782d64656661756c74da02076465202f64652fe00201e80282d5c3fef962f202041235fffef802818080800880030792031adcc59fd50c000000000000000ddec59fd50c000000000000000e9803f0ceabfef962a00309a803c0deabfef962b00301b80301c0030950686bbd"
	if got := hex.EncodeToString(full().encode()); got != golden {
		t.Errorf("encoding is\n%s, want\n%s", got, golden)
	}
}

func TestAnOlderVersionDestroysNothing(t *testing.T) {
	var e record.Encoder
	e.Uint(fieldLooks, 3)
	e.Uint(200, 42)
	e.Bytes(201, []byte("what a later version knows"))
	s, err := decodeState(e.Seal())
	if err != nil {
		t.Fatal(err)
	}
	s.looks++
	found := map[int]bool{}
	if err := record.Open(s.encode(), func(f record.Field) { found[f.Num] = true }); err != nil {
		t.Fatal(err)
	}
	if !found[200] || !found[201] || s.looks != 4 {
		t.Errorf("fields %v, want those of the later version among them", found)
	}
}

func TestAStateOfAPageIsSmall(t *testing.T) {
	s := full()
	s.networks, s.linkAt, s.linkNet, s.unprompted, s.query, s.target, s.nextTarget, s.targetAt, s.targetNet, s.nextAt, s.canonical = nil, 0, 0, false, false, 0, 0, 0, 0, 0, nil // what a listed page has not
	s.claims, s.peers, s.varieties, s.newLinks, s.missingNet = nil, nil, nil, nil, 0                                                                                             // what most have not
	s.inbound, s.priority = 0, 0                                                                                                                                                 // what all lack but on demand
	var text strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&text, "<p>%d. A long page shows more than a mark can remember block by block.", i)
	}
	facts := page.Read([]byte(text.String()), page.Options{})
	view := mark.Read(&facts)
	s.mark, _, _ = mark.Mark{}.Look(&view, 1)
	if n := len(s.encode()); n > 340 {
		t.Errorf("a full state takes %d bytes", n)
	}
}

// A page's content and the cluster that it is in are mostly the same, and written once.
func TestStateKeepsWhatItShowsAndHasJoined(t *testing.T) {
	for _, tt := range []struct {
		name            string
		showing, joined uint64
	}{
		{"neither", 0, 0}, {"the same", 9, 9}, {"not joined yet", 9, 0}, {"joined another", 9, 10}, {"no longer read", 0, 10},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, err := decodeState((&state{showing: tt.showing, joined: tt.joined}).encode())
			if err != nil || s.showing != tt.showing || s.joined != tt.joined {
				t.Errorf("showing %d and joined %d came back, %v", s.showing, s.joined, err)
			}
		})
	}
}
