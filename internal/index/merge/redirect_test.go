package merge

import "testing"

func TestRespelledRecognisesAnotherSpellingOfALocation(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"/docs", "/docs/", true}, {"/Docs", "/docs", true}, {"/a.html", "/a", true}, {"/a/index.html", "/a/", true}, {"/index.php", "/", true},
		{"/a?page=2", "/a/?page=2", true}, {"/a", "/b", false}, {"/a", "/a/b", false}, {"/room", "/rooms/blue", false},
	} {
		if got := respelled(tt.a, tt.b); got != tt.want || respelled(tt.b, tt.a) != tt.want {
			t.Errorf("%s and %s: %t", tt.a, tt.b, got)
		}
	}
}
