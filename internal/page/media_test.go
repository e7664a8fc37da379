package page

import (
	"reflect"
	"testing"
)

const illustrated = `<html lang=" de-AT "><meta name="OG:Title" content="T &amp; S"><meta property=plain content=x>
	<script type="application/ld+json">{"a":[1]}</script><script type="application/ld+json">{"a":</script>
	<img src=/out.jpg><main>text<IMG SRC=/a.jpg?x&amp;y srcset="/b.jpg 2x" width=32 height="24px" data-original=/o.jpg data-lazy-src=/l.jpg data-srcset="/s.jpg 1x"></main>`

func TestMediaAreAsWritten(t *testing.T) {
	want := &Media{
		Lang: "de-AT",
		Pictures: []Picture{{
			Src: "/a.jpg?x&y", Srcset: "/b.jpg 2x", LazySrc: "/l.jpg", LazySrcset: "/s.jpg 1x", Width: "32", Height: "24px",
		}},
		Properties: []Property{{"og:title", "T & S"}},
		Data:       []any{map[string]any{"a": []any{1.0}}},
	}
	facts := Read([]byte(illustrated), Options{Extensions: true})
	if !reflect.DeepEqual(facts.Media, want) {
		t.Errorf("media %+v, want %+v", facts.Media, want)
	}
	facts.Media = nil
	if without := Read([]byte(illustrated), Options{}); !reflect.DeepEqual(facts, without) {
		t.Errorf("with its media, a page says\n%+v, without them\n%+v", facts, without)
	}
	if m := Head([]byte(illustrated), Options{Extensions: true}).Media; m != nil {
		t.Errorf("the head alone has the media %+v", m)
	}
}
