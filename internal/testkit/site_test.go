package testkit

import "testing"

// failures counts the failures that a check reports.
type failures struct {
	testing.TB
	n int
}

func (f *failures) Errorf(string, ...any) { f.n++ }

func TestChecksFailOnlyWhereTheyShould(t *testing.T) {
	for _, tt := range []struct {
		name  string
		check func(*Site)
		fails int
	}{
		{"what is listed", func(s *Site) { s.WantListed("/", "/a") }, 0},
		{"a page that is missing", func(s *Site) { s.WantListed("/", "/a", "/b") }, 1},
		{"a page too many", func(s *Site) { s.WantListed("/") }, 1},
		{"the verdict", func(s *Site) { s.WantVerdict("/a", "listed", "link") }, 0},
		{"another reason", func(s *Site) { s.WantVerdict("/a", "listed", "networks") }, 1},
		{"another verdict", func(s *Site) { s.WantVerdict("/a", "held", "link") }, 1},
		{"no hint", func(s *Site) { s.WantHints() }, 0},
		{"a hint that was not given", func(s *Site) { s.WantHints("www") }, 2}, // neither given nor logged
	} {
		t.Run(tt.name, func(t *testing.T) {
			Run(t, Setup{Handler: PageOfItsURL("/a")}, func(s *Site) {
				s.Visit("/", "/a")
				f := &failures{TB: s.TB}
				s.TB = f
				tt.check(s)
				if s.TB = f.TB; f.n != tt.fails {
					s.Errorf("%d failures, want %d", f.n, tt.fails)
				}
			})
		})
	}
}
