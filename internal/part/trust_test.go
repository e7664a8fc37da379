package part

import "testing"

// datesOf sums up entries of one source, with as many pages at each second.
func datesOf(s Source, pages map[int64]int) dates {
	var g given
	for second, n := range pages {
		for range n {
			var e Entry
			e.Given[s] = second
			g.add(&e)
		}
	}
	return g.summarise()
}

func TestJudge(t *testing.T) {
	tests := []struct {
		name     string
		parts    []map[int64]int
		believed []int64
		doubted  []int64
	}{
		{"few pages", []map[int64]int{{100: 2}}, []int64{100}, nil},
		{"three at once", []map[int64]int{{100: 3}}, nil, []int64{100}},
		{"half at once", []map[int64]int{{100: 3, 5000: 1, 6000: 1, 7000: 1}}, []int64{100, 5000}, nil},
		{"most at once", []map[int64]int{{100: 4, 5000: 1, 6000: 1, 7000: 1}}, []int64{5000}, []int64{100}},
		{"a build of some minutes", []map[int64]int{{100: 5, 300: 5, 600: 5, 90000: 5}}, []int64{90000}, []int64{100, 300, 600}},
		{"two builds a day apart", []map[int64]int{{100: 5, 90000: 5}}, []int64{100, 90000}, nil},
		{"spread over two parts", []map[int64]int{{100: 5, 70000: 1}, {100: 5, 80000: 1}}, []int64{70000}, []int64{100}},
		{"most in one part only", []map[int64]int{{100: 5}, {200000: 1, 300000: 1, 400000: 1, 500000: 1, 600000: 1, 700000: 1}}, []int64{100, 200000}, nil},
		{"nothing dated", []map[int64]int{{}}, []int64{100}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for s := Server; s < sources; s++ {
				var parts []dates
				for _, p := range tt.parts {
					parts = append(parts, datesOf(s, p))
				}
				trust := judge(parts, Trust{})
				for _, at := range tt.believed {
					if !trust.Believes(s, at) {
						t.Errorf("source %d: %d is not believed", s, at)
					}
				}
				for _, at := range tt.doubted {
					if trust.Believes(s, at) {
						t.Errorf("source %d: %d is believed", s, at)
					}
				}
				var caught Trust
				caught[s].All = true
				if caught = judge(parts, caught); caught.Believes(s, 70001) {
					t.Errorf("source %d is believed although it was caught", s)
				}
			}
		})
	}
}

func TestSummaryIsBounded(t *testing.T) {
	pages := map[int64]int{}
	for second := range int64(5000) {
		pages[second+1] = 3
	}
	pages[99999] = 50
	d := datesOf(Server, pages).by[Server]
	if len(d.top) != crowdsKept || d.top[0] != (crowd{99999, 50}) || d.dated != 15050 {
		t.Errorf("kept %d crowds, the largest %+v, of %d pages", len(d.top), d.top[0], d.dated)
	}
}
