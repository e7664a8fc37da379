package page

import "testing"

func TestADocumentHasAnHTMLOrATitleElement(t *testing.T) {
	for _, tt := range []struct {
		name, html string
		want       bool
	}{
		{"a whole page", "<!DOCTYPE html><html><head><title>t</title></head><body><p>x</body></html>", true},
		{"html alone", "<HTML lang=de><p>x", true},
		{"title alone", "<!doctype html><title>t</title><p>x", true},
		{"an empty title", "<title></title><p>x", true},
		{"html and nothing else", "<html>", true},
		{"a list", "<ul><li>One<li>Two</ul>", false},
		{"a doctype and a paragraph", "<!doctype html><p>x", false},
		{"a body", "<body><p>x</body>", false},
		{"text", "html title", false},
		{"nothing", "", false},
		{"a comment", "<!-- <html><title>t</title> --><p>x", false},
		{"the title of a drawing", "<p>x<svg><title>An icon</title></svg>", false},
		{"a template", "<template><html><title>t</title></html></template><p>x", false},
		{"a script", "<script>'<html><title>t</title>'</script>", false},
		{"an end tag", "</html></title><p>x", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := Read([]byte(tt.html), Options{}).Document; got != tt.want {
				t.Errorf("Read: %v, want %v", got, tt.want)
			}
			if got := Head([]byte(tt.html), Options{}).Document; got != tt.want {
				t.Errorf("Head: %v, want %v", got, tt.want)
			}
		})
	}
}
