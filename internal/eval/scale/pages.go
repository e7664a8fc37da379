package main

import (
	"fmt"
	"math/rand/v2"
	"strconv"
)

const origin = "https://www.example.com"

// The pages are hubs, each with a row of others that it links to. A hub also links to the next one.
const perHub = 100

// perFolder is how many pages stand in one folder of the site.
const perFolder = 5000

// words are what paths and texts are made of.
var words = []string{
	"harbour", "winter", "garden", "bicycle", "market", "evening", "copper", "village", "station", "letter", "window", "mountain",
	"river", "kitchen", "orange", "history", "silver", "teacher", "journey", "weather", "island", "morning", "concert", "bridge",
	"painter", "forest", "castle", "summer", "engine", "library", "festival", "cottage", "theatre", "meadow", "lantern", "harvest",
}

// location returns the location of page i, of some 60 bytes.
func location(i int) string {
	if i == 0 {
		return "/"
	}
	r := rand.New(rand.NewPCG(uint64(i), 1))
	b := []byte("/topics/" + words[i/perFolder%len(words)] + "-" + strconv.Itoa(i/perFolder) + "/")
	for range 3 + r.IntN(4) {
		b = append(append(b, words[r.IntN(len(words))]...), '-')
	}
	return string(strconv.AppendInt(b, int64(i), 10))
}

// body returns the HTML of page i. Each version but the first has a paragraph of its own at the end.
func body(i, version, pages int) []byte {
	b := []byte("<!doctype html><html lang=en><head><title>Page " + strconv.Itoa(i) + "</title></head><body><nav><a href=/>Home</a></nav><main><h1>")
	r := rand.New(rand.NewPCG(uint64(i), 2))
	b = append(append(b, words[r.IntN(len(words))]...), "</h1>"...)
	for range 3 {
		b = paragraph(b, r)
	}
	if version > 0 {
		b = paragraph(b, rand.New(rand.NewPCG(uint64(i), uint64(version)+3)))
	}
	if i%perHub == 0 {
		b = append(b, "<ul>"...)
		for next := i + 1; next <= i+perHub && next < pages; next++ {
			b = fmt.Appendf(b, "<li><a href=%q>%d</a>", location(next), next)
		}
		b = append(b, "</ul>"...)
	}
	return append(b, "</main></body></html>"...)
}

func paragraph(b []byte, r *rand.Rand) []byte {
	b = append(b, "<p>"...)
	for range 25 {
		b = append(append(b, words[r.IntN(len(words))]...), ' ')
	}
	return fmt.Appendf(b, "%d.</p>", r.IntN(1e9))
}

// version returns which version of page i a look shows: a tenth of the pages has changed at each look.
func version(i, look int) (v int) {
	for n := 1; n <= look; n++ {
		if (i+n)%10 == 0 {
			v = n
		}
	}
	return v
}
