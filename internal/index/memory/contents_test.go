package memory

import "testing"

func TestContentSeenAtOtherLocationsIsSharedOrACrowds(t *testing.T) {
	type seen struct {
		network  uint32
		location uint64
	}
	times := func(n int, network uint32, from uint64) (all []seen) {
		for i := range uint64(n) {
			all = append(all, seen{network, from + i})
		}
		return all
	}
	const own = 1
	for _, tt := range []struct {
		name                string
		seen                []seen
		networks, locations int // other than its own
	}{
		{"nobody", nil, 0, 0},
		{"only itself", []seen{{7, own}, {8, own}, {7, own}}, 0, 0},
		{"one network elsewhere", []seen{{7, own}, {8, 2}}, 1, 1},
		{"one network anywhere", times(25, 7, own), 1, 1},
		{"one network elsewhere, everywhere", times(25, 7, 2), 1, 2},
		{"two networks at one location", []seen{{7, 2}, {8, 2}}, 2, 1},
		{"two networks, both of which got it too", []seen{{7, own}, {7, 2}, {8, own}, {8, 2}}, 2, 1},
		{"as many networks as locations", []seen{{7, 2}, {8, 3}, {9, 4}, {10, 5}}, 4, 4},
		{"after many who got only it", append([]seen{{1, own}, {2, own}, {3, own}, {4, own}, {5, own}, {6, own}}, seen{7, 2}, seen{8, 3}, seen{9, 4}, seen{10, 5}), 4, 4},
		{"after many who got another", append([]seen{{1, 2}, {2, 2}, {3, 2}, {4, 2}, {5, 2}}, seen{7, 3}, seen{8, 4}, seen{9, 5}), 5, 4},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := new(Contents)
			for range 2 { // the second time changes nothing
				for _, s := range tt.seen {
					c.Shows(1, s.location<<33, s.network)
				}
			}
			networks, locations := c.elsewhere(1, own<<33)
			if networks != tt.networks || locations != tt.locations {
				t.Errorf("%d networks got it at %d other locations, want %d at %d", networks, locations, tt.networks, tt.locations)
			}
			for i := range uint64(2) {
				if networks, locations := c.elsewhere(1+(i+1)*kept, own<<33); networks+locations != 0 {
					t.Error("another content counts as this one")
				}
			}
		})
	}
	c := new(Contents)
	for i := range uint64(4) {
		c.Shows(1, (2+i)<<33, uint32(i))
	}
	for i := range uint64(20) {
		c.Shows(1+(1+i)*kept, 9<<33, 7)
	}
	if networks, locations := c.elsewhere(1, 1<<33); networks != 4 || locations != 4 {
		t.Errorf("beside 20 contents at one location each, one at four is forgotten: %d networks at %d", networks, locations)
	}
	c = new(Contents)
	c.Shows(0, 2<<33, 7)
	if networks, _ := c.elsewhere(0, 1<<33); networks != 0 {
		t.Error("what is not known to be shown counts")
	}
}

func TestContentIsSharedByTwoOthersAndShownByManyAtFour(t *testing.T) {
	c := new(Contents)
	for n := range uint32(5) {
		if shared, many := c.Elsewhere(1, 0); shared != (n >= 2) || many != (n >= 4) {
			t.Errorf("shown to %d others: shared %v and many %v", n, shared, many)
		}
		c.Shows(1, uint64(n+1)<<33, n)
	}
}
