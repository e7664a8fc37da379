package page

import (
	"slices"
	"testing"
)

func TestLinkCanonicals(t *testing.T) {
	tests := []struct {
		name   string
		values []string
		want   []string
	}{
		{"none", nil, nil},
		{"quoted", []string{`<https://example.com/a>; rel="canonical"`}, []string{"https://example.com/a"}},
		{"token, upper case", []string{`</a>;REL=Canonical`}, []string{"/a"}},
		{"spaces", []string{`  < /a > ; rel = "canonical" `}, []string{"/a"}},
		{"one rel of several", []string{`</a>; rel="next canonical"`}, []string{"/a"}},
		{"in a list", []string{`</s.css>; rel=preload; as=style, </a>; rel=canonical`}, []string{"/a"}},
		{"comma and semicolon in the target", []string{`</a,b;c>; rel=canonical`}, []string{"/a,b;c"}},
		{"comma in a parameter", []string{`</x>; title="a, <b>; \"c\""; rel=next, </a>; rel=canonical`}, []string{"/a"}},
		{"same twice", []string{`</a>; rel=canonical`, `</a>; rel=canonical`}, []string{"/a"}},
		{"different", []string{`</a>; rel=canonical`, `</b>; rel=canonical`}, []string{"/a", "/b"}},
		{"only the first rel counts", []string{`</a>; rel=next; rel=canonical`}, nil},
		{"other context", []string{`</a>; rel=canonical; anchor="/b"`}, nil},
		{"variant", []string{`</a>; rel=canonical; hreflang=de`}, nil},
		{"not http", []string{`<file:///a>; rel=canonical`}, nil},
		{"no brackets", []string{`/a; rel=canonical, </b>; rel=canonical`}, []string{"/b"}},
		{"never closed", []string{`</a; rel=canonical`}, nil},
		{"never unquoted", []string{`</a>; rel="canonical`}, []string{"/a"}},
		{"parameter without value", []string{`</a>; crossorigin; rel=canonical`}, []string{"/a"}},
		{"empty", []string{"", ",", "<>; rel=canonical"}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := LinkCanonicals(tt.values); !slices.Equal(got, tt.want) {
				t.Errorf("canonicals %q, want %q", got, tt.want)
			}
		})
	}
}
