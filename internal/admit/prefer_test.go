package admit

import "testing"

func TestPrefer(t *testing.T) {
	at := func(location string) Claim { return Claim{Location: location, Linked: true} }
	for _, tt := range []struct {
		name  string
		a, b  Claim
		wants bool // that the first is preferred; the second is not in any case
	}{
		{"an article and its comments", at("/2024/01/post/"), at("/2024/01/post/comment-page-1/"), true},
		{"without slashes at the end", at("/2024/01/post"), at("/2024/01/post/comment-page-1"), true},
		{"an article and its comments by their queries", at("/?p=1"), at("/?cpage=1&p=1"), true},
		{"a page and itself with a query", at("/list"), at("/list?page=1"), true},
		{"a folder and its index", at("/docs/"), at("/docs/index.html"), true},
		{"a linked one and one that is above it", Claim{Location: "/post/comment-page-1/", Linked: true}, Claim{Location: "/post/"}, true},
		{"the shorter one", at("/p/1"), at("/2024/01/a-post"), true},
		{"of the same length", at("/a"), at("/b"), false},
		{"of the same length, in other queries", at("/?p=1"), at("/?q=1"), false},
		{"no folder of the other", at("/post"), at("/post-2/a"), true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := Prefer(tt.a, tt.b); got != tt.wants {
				t.Errorf("the first is preferred: %t, want %t", got, tt.wants)
			}
			if Prefer(tt.b, tt.a) && (tt.wants || len(tt.a.Location) == len(tt.b.Location)) {
				t.Error("the second is preferred")
			}
		})
	}
}

// However many locations show a content, visits to them settle on one.
func TestPreferTakesNoTurns(t *testing.T) {
	var all []Claim
	for _, location := range []string{"/", "/a", "/a/", "/a/b", "/a?x=1", "/a?x=1&y=1", "/?a=1", "/?a=1&b=1", "/?b=1", "/a/b?x=1", "/b"} {
		all = append(all, Claim{location, true}, Claim{location, false})
	}
	for _, a := range all {
		for _, b := range all {
			if Prefer(a, b) && Prefer(b, a) {
				t.Errorf("%+v and %+v are preferred to each other", a, b)
			}
			for _, c := range all {
				if Prefer(a, b) && Prefer(b, c) && !Prefer(a, c) {
					t.Errorf("%+v, %+v and %+v take turns", a, b, c)
				}
			}
		}
	}
}
