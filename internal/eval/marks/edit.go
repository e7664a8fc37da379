package main

import (
	"math/rand/v2"
	"strings"
)

// editSome edits a few pages.
func editSome(r *rand.Rand, pages []*source) {
	for range max(1, len(pages)/editShare) {
		p := pages[r.IntN(len(pages))]
		if html, ok := edit(r, p.html); ok {
			p.html = html
			p.edited = p.seen
		}
	}
}

// edit changes a word in a paragraph, adds a paragraph before it, or removes it.
func edit(r *rand.Rand, html string) (string, bool) {
	var list []int
	for at := 0; ; {
		i := strings.Index(html[at:], "<p>")
		if i < 0 {
			break
		}
		at += i + len("<p>")
		if text, _, _ := strings.Cut(html[at:], "<"); len(strings.TrimSpace(text)) >= 60 {
			list = append(list, at)
		}
	}
	if len(list) == 0 {
		return html, false
	}
	at := list[r.IntN(len(list))]
	text := html[at:]
	switch r.IntN(3) {
	case 0:
		space := strings.IndexByte(text, ' ')
		return html[:at+space] + " " + invented(r, 1) + text[space:], true
	case 1:
		return html[:at] + invented(r, 12) + ".</p><p>" + text, true
	}
	_, after, ok := strings.Cut(text, "</p>")
	return html[:at-len("<p>")] + after, ok
}

// invented returns so many new words.
func invented(r *rand.Rand, words int) string {
	list := make([]string, words)
	for i := range list {
		letters := make([]byte, 4+r.IntN(6))
		for j := range letters {
			letters[j] = 'a' + byte(r.IntN(26))
		}
		list[i] = string(letters)
	}
	return strings.Join(list, " ")
}
