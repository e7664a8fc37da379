package eligibility

import (
	"testing"

	"github.com/servemap/servemap/internal/page/html"
	"github.com/servemap/servemap/internal/testkit/base"
)

func TestBoxToLogIn(t *testing.T) {
	none, brief, text := html.LogIn{}, html.LogIn{Forms: 1, Brief: true, Text: 1}, html.LogIn{Forms: 1, Text: 2}
	type saw struct {
		location string
		asks     html.LogIn
	}
	for _, tt := range []struct {
		name             string
		saw              []saw
		product, imprint bool // whether the field of a page that says little, and of one with a text, is in a box
	}{
		{"nothing", nil, false, false},
		{"the start page asks", []saw{{"/", brief}}, false, true},
		{"the start page has a text", []saw{{"/", text}}, false, true},
		{"another page that asks", []saw{{"/", none}, {"/text", text}}, false, false},
		{"another page that says little", []saw{{"/", brief}, {"/b", brief}}, false, true},
		{"another page with a text", []saw{{"/", brief}, {"/text", text}}, true, true},
		{"before the start page", []saw{{"/text", text}, {"/", brief}}, true, true},
		{"the text of the start page", []saw{{"/", text}, {"/text", text}}, false, true},
		{"a log-in with a text", []saw{{"/", brief}, {"/login", text}}, false, true},
		{"the text was replaced by a log-in", []saw{{"/", brief}, {"/text", text}, {"/text", brief}}, false, true},
		{"the start page asks no more", []saw{{"/", brief}, {"/text", text}, {"/", none}}, false, false},
	} {
		var b Box
		for _, s := range tt.saw {
			b.Saw(s.location, s.location == "/", s.asks)
		}
		base.Equal(t, b.Has("/product", html.LogIn{Forms: 1, Brief: true, Text: 3}), tt.product, "%s: a product", tt.name)
		base.Equal(t, b.Has("/imprint", html.LogIn{Forms: 1, Text: 4}), tt.imprint, "%s: an imprint", tt.name)
		base.Equal(t, b.Has("/login", html.LogIn{Forms: 1, Text: 5}), false, "%s: a log-in", tt.name)
		base.Equal(t, b.Has("/account", html.LogIn{Forms: 2, Brief: true, Text: 6}), false, "%s: a box and a form", tt.name)
	}
}
