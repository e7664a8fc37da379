package robots

import (
	"testing"
	"time"
)

func TestAnotherFileNeedsASecondNetworkOrAnotherDay(t *testing.T) {
	before, other := Parse([]byte(forAll("Disallow: /a"))), Parse([]byte(forAll("Disallow: /b")))
	type sight struct {
		after   time.Duration // the first sight of before
		rules   *Rules
		network uint32
	}
	const soon, day = 50 * time.Second, 24 * time.Hour
	for _, tt := range []struct {
		name   string
		sights []sight
		want   *Rules
	}{
		{"seen once", []sight{{0, other, 1}}, before},
		{"what held comes back", []sight{{0, other, 1}, {soon, before, 2}}, before},
		{"two that differ", []sight{{0, nil, 1}, {day, other, 2}}, before},
		{"another network within the minute", []sight{{0, other, 1}, {soon, other, 2}}, before},
		{"another network a minute later", []sight{{0, other, 1}, {time.Minute, other, 2}}, other},
		{"the same network soon", []sight{{0, other, 1}, {day - 1, other, 1}}, before},
		{"the same network a day later", []sight{{0, other, 1}, {day, other, 1}}, other},
		{"unknown networks a day later", []sight{{0, other, 0}, {day, other, 0}}, other},
		{"what held was seen in between", []sight{{0, other, 1}, {time.Minute, before, 2}, {time.Minute, other, 2}, {day, other, 2}}, before},
	} {
		t.Run(tt.name, func(t *testing.T) {
			start := time.Now()
			o := Obeyed{}.Saw(before, start, 1)
			for _, s := range tt.sights {
				o = o.Saw(s.rules, start.Add(s.after), s.network)
			}
			if !o.Known || !o.Now.Equal(tt.want) {
				t.Errorf("%q holds, want %q", o.Now.Text(), tt.want.Text())
			}
		})
	}
}

func TestNothingIsNewlyListedThatEitherFileDisallows(t *testing.T) {
	o := Obeyed{}.Saw(Parse([]byte(forAll("Disallow: /a"))), time.Now(), 1)
	o = o.Saw(Parse([]byte(forAll("Disallow: /b"))), time.Now(), 1)
	for location, want := range map[string][2]bool{"/a": {false, false}, "/b": {true, false}, "/c": {true, true}} {
		if got := [2]bool{o.Allows(location), o.AllowsNew(location)}; got != want {
			t.Errorf("%s: allowed %v, newly %v, want %v", location, got[0], got[1], want)
		}
	}
	if none := (*Obeyed)(nil); !none.Allows("/a") || !none.AllowsNew("/a") {
		t.Error("without a robots.txt something is disallowed")
	}
}
