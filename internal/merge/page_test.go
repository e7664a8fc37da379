package merge

import (
	"encoding/hex"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/lastmod"
	"github.com/servemap/servemap/internal/look"
	"github.com/servemap/servemap/internal/mark"
	"github.com/servemap/servemap/internal/moment"
	"github.com/servemap/servemap/internal/page"
	"github.com/servemap/servemap/internal/rate"
	"github.com/servemap/servemap/internal/record"
	"github.com/servemap/servemap/internal/sitewide"
)

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

// full is a page with no field at its zero value.
func full() *Page {
	m, _ := mark.Parse(append([]byte{1}, "\x22\x22\x22\x22\x22\x22\x22\x22\x11\x11\x11\x11\x11\x11\x11\x11"...))
	sec := moment.Seconds
	return &Page{
		Standing:  Standing{admit.Listed, admit.ByLink},
		presence:  presence{sec(1700000000), 1700000123456, 200, 7, true, admit.NotFound, true},
		doubt:     doubt{1700000200000, admit.Denied, 9},
		statement: statement{admit.NoIndex, sec(1800000000), true, true, true, []byte("sealed")},
		evidence: evidence{
			route: true, variable: true, query: true, link: true, linkAt: sec(1700000001), linkNet: 7, shown: true, unprompted: true,
			hop: 2, networks: []uint16{1, 0xffff}, group: 0xabcdef,
		},
		redirect:  redirect{5, 1700000003000, 9, 6, 1700000004000},
		reading:   reading{0x0123456789abcdef, 0xfedcba9876543210, true, unproven, sec(1700000002), 8},
		copies:    copies{9, 9, true, true},
		languages: languages{[]claim{{"de", 11}, {"x-default", 12}}, []look.Alternate{{Lang: "de", Location: "/de/"}}},
		ranking:   ranking{0x80000001, 7},
		listing:   listing{3, 1700000200001},
		mark:      m, varieties: varieties{0x1235, 0xfffe}, newLinks: newLinks{{sec(1700000110), 13}, {sec(1700000111), 14}},
		dates: changedDates(), rate: rate.Estimate{}.Saw(1700000000, false).Saw(1700000100, true),
		loaded: loaded{known: true, listed: true, tallied: Standing{admit.Listed, admit.ByLink}, sibling: sitewide.Linked, change: sec(1700000100)},
	}
}

// zeros returns the names of the fields of a value that are zero, with those of the
// values in it.
func zeros(v reflect.Value) (names []string) {
	for i := range v.NumField() {
		f, name := v.Field(i), v.Type().Field(i).Name
		if f.Kind() == reflect.Struct && v.Type().Field(i).Anonymous {
			names = append(names, zeros(f)...)
		} else if f.IsZero() {
			names = append(names, name)
		}
	}
	return names
}

func TestPageKeepsEveryField(t *testing.T) {
	want := full()
	if names := zeros(reflect.ValueOf(*want)); !slices.Equal(names, []string{"unread"}) {
		t.Errorf("fields %q are zero, so this test would not notice their loss", names)
	}
	got, err := Decode(want.encode())
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("decoded\n%+v, want\n%+v", got, want)
	}
	empty := &Page{loaded: loaded{known: true}}
	if got, err := Decode(new(Page).encode()); err != nil || !reflect.DeepEqual(got, empty) {
		t.Errorf("the zero page decodes as %+v, %v", got, err)
	}
}

// TestGoldenPage pins the encoding: a change of it is a change of every record
// that anybody has stored.
func TestGoldenPage(t *testing.T) {
	const golden = "01080310041a0a0202222222221111111122198600006553f1646553f1640000c1001d0000000000000010012a041235fffe320ddcc59fd50c000000000000000d320ddec59fd50c000000000000000e5080c49fd50c5880a9bafef96260c801680770017816800101a00180d5c3fef962a80117b00109f0010bf80180c8ceb40d8002018802019002019a02067365616c6564c00201c80201d00201d80201e00282c49fd50ce80207f00201f802018003028a03040001ffff9103efcdab0000000000e1030500000000000000e803f0ceabfef962f00309f90306000000000000008004c0deabfef962b104efcdab8967452301b9041032547698badcfec00401c80402d00484c49fd50cd8040881050900000000000000880501900501980501d2050a000000000000000b6465d20511000000000000000c782d64656661756c74da05076465202f64652fa0068180808008a80607f00603f80682d5c3fef962c00701c807c8c59fd50ce20702c701ea07060080eadacb0cb9908e36"
	if got := hex.EncodeToString(full().encode()); got != golden {
		t.Errorf("encoding is\n%s, want\n%s", got, golden)
	}
}

func TestAnOlderVersionDestroysNothing(t *testing.T) {
	var e record.Encoder
	e.Uint(13, 3)
	e.Uint(300, 42)
	e.Bytes(301, []byte("what a later version knows"))
	p, err := Decode(e.Seal())
	if err != nil {
		t.Fatal(err)
	}
	p.looks++
	found := map[int]bool{}
	if err := record.Open(p.encode(), func(f record.Field) { found[f.Num] = true }); err != nil {
		t.Fatal(err)
	}
	if !found[300] || !found[301] || p.looks != 4 {
		t.Errorf("fields %v, want those of the later version among them", found)
	}
}

func TestAPageOfAPageIsSmall(t *testing.T) {
	s := full()
	// What a listed page has not, and what most pages have not.
	s.networks, s.linkAt, s.linkNet, s.unprompted, s.query, s.canonical = nil, 0, 0, false, false, nil
	s.redirect, s.languages, s.ranking, s.doubt = redirect{}, languages{}, ranking{}, doubt{}
	s.varieties, s.newLinks = nil, nil
	var text strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&text, "<p>%d. A long page shows more than a mark can remember block by block.", i)
	}
	facts := page.Read([]byte(text.String()), page.Options{})
	view := mark.Read(&facts)
	s.mark, _, _ = mark.Mark{}.Look(&view, 1)
	if n := len(s.encode()); n > 340 {
		t.Errorf("a full page takes %d bytes", n)
	}
}
