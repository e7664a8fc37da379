package robots

import (
	"testing"
	"time"
)

func TestAnotherFileNeedsTheSiteItselfOrAnotherDay(t *testing.T) {
	before, other := Parse([]byte(forAll("Disallow: /a"))), Parse([]byte(forAll("Disallow: /b")))
	type sight struct {
		after time.Duration // the first sight of before
		rules *Rules
		own   bool
	}
	const soon, day = 50 * time.Second, 24 * time.Hour
	for _, tt := range []struct {
		name   string
		sights []sight
		want   *Rules
	}{
		{"seen once", []sight{{0, other, false}}, before},
		{"seen by the site itself", []sight{{0, other, true}}, other},
		{"what held is what the site gets", []sight{{0, other, false}, {soon, before, true}, {day, other, false}}, before},
		{"what held comes back", []sight{{0, other, false}, {soon, before, false}}, before},
		{"two that differ", []sight{{0, nil, false}, {day, other, false}}, before},
		{"again soon", []sight{{0, other, false}, {day - 1, other, false}}, before},
		{"again a day later", []sight{{0, other, false}, {day, other, false}}, other},
		{"what held was seen in between", []sight{{0, other, false}, {time.Minute, before, false},
			{time.Minute, other, false}, {day, other, false}}, before},
	} {
		t.Run(tt.name, func(t *testing.T) {
			start := time.Now()
			o := Obeyed{}.Saw(before, start, false)
			for _, s := range tt.sights {
				o = o.Saw(s.rules, start.Add(s.after), s.own)
			}
			if !o.Known || !o.Now.Equal(tt.want) {
				t.Errorf("%q holds, want %q", o.Now.Text(), tt.want.Text())
			}
		})
	}
}

func TestNothingIsNewlyListedThatEitherFileDisallows(t *testing.T) {
	o := Obeyed{}.Saw(Parse([]byte(forAll("Disallow: /a"))), time.Now(), false)
	o = o.Saw(Parse([]byte(forAll("Disallow: /b"))), time.Now(), false)
	for location, want := range map[string][2]bool{"/a": {false, false}, "/b": {true, false}, "/c": {true, true}} {
		if got := [2]bool{o.Allows(location), o.AllowsNew(location)}; got != want {
			t.Errorf("%s: allowed %v, newly %v, want %v", location, got[0], got[1], want)
		}
	}
	if none := (*Obeyed)(nil); !none.Allows("/a") || !none.AllowsNew("/a") {
		t.Error("without a robots.txt something is disallowed")
	}
}
