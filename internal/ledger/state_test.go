package ledger

import (
	"encoding/hex"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/mark"
	"github.com/servemap/servemap/internal/page"
	"github.com/servemap/servemap/internal/part"
	"github.com/servemap/servemap/internal/rate"
	"github.com/servemap/servemap/internal/record"
	"github.com/servemap/servemap/internal/tap"
)

// witness is the response that shows a page.
func witness(body string) *tap.Response {
	return &tap.Response{Status: 200, Header: tap.Header{ContentType: "text/html"}, Body: []byte(body), Complete: true}
}

// full is a state with no field at its zero value.
func full() *state {
	m, _ := mark.Parse(append([]byte{1}, "\x22\x22\x22\x22\x22\x22\x22\x22\x11\x11\x11\x11\x11\x11\x11\x11"...))
	s := &state{
		verdict: admit.Listed, reason: admit.ByLink,
		firstSeen: 1700000000, lastSeen: 1700000123456, status: 200, looks: 7, changes: 2,
		witnessed: true, absent: admit.NotFound, missing: 1700000200000, missingWhy: admit.Denied,
		content: admit.NoIndex, noFollow: true, ownURL: true, barred: true,
		route: true, variable: true, link: true, linkAt: 1700000001, linkNet: 7, shown: true,
		hop: 2, networks: []uint16{1, 0xffff}, group: 0xabcdef, counted: sibling, target: 5, nextTarget: 6,
		bodyHash: 0x0123456789abcdef, tagHash: 0xfedcba9876543210, read: true,
		open: unproven, readAt: 1700000002, readNet: 8, showing: 9, joined: 10, shared: true, crowd: true, self: true, canonical: []byte("sealed"),
		mark: m, rate: rate.Estimate{}.Saw(1700000000, false).Saw(1700000100, true),
		changed: 1700000100, exact: 1700000050, exactBy: part.Server,
		young: part.Sources(0).With(part.Page), isNew: true, fresh: 1700000000, until: 1800000000, part: 3,
		claims: []claim{{"de", 11}, {"x-default", 12}}, peers: []peer{{"de", "/de/"}},
		logged: 1700000200001,
		moved:  part.Sources(0).With(part.Server), kept: [...]int64{0, 1680000000, 1680000001},
		unchanged: 1700000040, earlier: []int64{1699000000, 1698000000}, held: heldDate{1700000110, 1700000105, 1700000107, part.Page, 0x1234},
		behind: 1600000000, undated: true, aside: mended{1700000300, 1700000250, part.Page, 1600000001}, varieties: []uint16{0x1235, 0xfffe}, inbound: 0x80000001, priority: 7,
		newLinks: []newLink{{1700000110, 13}, {1700000111, 14}},
		stored:   standing{admit.Listed, admit.ByLink}, storedChanged: 1700000100,
	}
	s.given[part.Server], s.given[part.Page] = 1690000000, -5
	s.freq()
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
	const golden = "01080310041880c49fd50c2080a9bafef96228c80130073802400148165080d5c3fef9625817600b6801700178018001018801019001029a01040001ffffa101efcdab0000000000a80101b101efcdab8967452301b9011032547698badcfec00101ca010a02022222222211111111d201198600006553f1646553f1640000c1001d000000000000001001d801c8c59fd50ce001e4c49fd50ce80101f00180eadacb0cf80109800204880201900280c49fd50c980203a1020500000000000000a9020600000000000000b00201b80282c49fd50cc00207c80201d00202d80284c49fd50ce00208e9020900000000000000f1020a00000000000000f802018003018a03067365616c6564900380c8ceb40d9a030a000000000000000b64659a0311000000000000000c782d64656661756c74a203076465202f64652fa80301b00382d5c3fef962b80302c003809096c20cc803829096c20cd2030777cf897aff887ada030a021234dcc59fd50c0904e00380c0f0f50be80301f203041235fffef80381808080088004079004e12f8a0408900363f187af5f02a2041adcc59fd50c000000000000000ddec59fd50c000000000000000ea9b1a800"
	if got := hex.EncodeToString(full().encode()); got != golden {
		t.Errorf("encoding is\n%s, want\n%s", got, golden)
	}
}

// A record of the first version is read as it was meant.
func TestAnEarlierGoldenState(t *testing.T) {
	const golden = "01080310041880c49fd50c2080a9bafef96228c80130073802400148165080d5c3fef9625817600b6801700178018001018801019001029a01040001ffffa101efcdab0000000000a80101b101efcdab8967452301b9011032547698badcfec00101ca01110122222222222222221111111111111111d201160106006553f1646553f1641000003f8f5b85461d0698d801c8c59fd50ce001e4c49fd50ce80101f00180eadacb0cf80109800204880201900280c49fd50c980203a1020500000000000000a902060000000000000070aa4934"
	b, err := hex.DecodeString(golden)
	if err != nil {
		t.Fatal(err)
	}
	want := full()
	want.variable, want.linkAt, want.linkNet, want.shown = false, 0, 0, false
	want.open, want.readAt, want.readNet, want.showing, want.joined = settled, 0, 0, 0, 0
	want.shared, want.crowd, want.self, want.canonical, want.until = false, false, false, nil, 0
	want.claims, want.peers, want.logged = nil, nil, 0
	want.moved, want.kept, want.unchanged, want.earlier, want.held = 0, [part.Page + 1]int64{}, 0, nil, heldDate{}
	want.behind, want.undated, want.varieties, want.inbound, want.priority, want.word, want.aside = 0, false, nil, 0, 0, word{}, mended{}
	want.newLinks = nil
	older, err := hex.DecodeString("0106006553f1646553f1641000003f8f5b85461d0698")
	if err != nil {
		t.Fatal(err)
	}
	if want.rate, err = rate.Parse(older); err != nil { // which keeps less than was seen
		t.Fatal(err)
	}
	if got, err := decodeState(b); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("decoded\n%+v, %v, want\n%+v", got, err, want)
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
	s.networks, s.linkAt, s.linkNet, s.target, s.nextTarget, s.canonical = nil, 0, 0, 0, 0, nil                             // what a listed page has not
	s.claims, s.peers, s.varieties, s.held, s.behind, s.undated, s.kept[part.Page] = nil, nil, nil, heldDate{}, 0, false, 0 // what most have not
	s.aside, s.newLinks = mended{}, nil
	s.inbound, s.priority = 0, 0 // what all lack but on demand
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
