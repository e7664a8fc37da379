package kit

import (
	"hash/fnv"
	"math/rand/v2"
	"strings"
)

// Words returns 64 words for locations and texts. None of them suggests that a
// page is private.
func Words() []string {
	return strings.Fields("harbour winter garden bicycle market evening copper village station letter window mountain " +
		"river kitchen orange history silver teacher journey weather island morning concert bridge " +
		"painter forest castle summer engine library festival cottage theatre meadow lantern harvest " +
		"thunder orchard pebble saffron glacier violet timber breeze granite juniper lagoon nectar " +
		"falcon velvet prairie willow canyon marble quartz zephyr jasper clover valley grove acorn heath mandolin sunflower")
}

// HTML is the content type of all pages.
const HTML = "text/html; charset=utf-8"

// Page is the frame of a page of HTML.
type Page struct {
	Title  string // and heading
	Head   string // elements of the head after the title
	Before string // elements before the main one
	After  string // elements after it
}

// Append appends the page to b. Main appends what follows the heading.
func (p Page) Append(b []byte, main func(b []byte) []byte) []byte {
	for _, s := range [...]string{
		"<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>", p.Title, "</title>", p.Head,
		"</head>\n<body>",
		p.Before, "<main><h1>", p.Title, "</h1>\n",
	} {
		b = append(b, s...)
	}
	return append(append(append(main(b), "</main>\n"...), p.After...), "</body></html>\n"...)
}

// AppendLink appends a paragraph with a link.
func AppendLink(b []byte, loc, text string) []byte {
	for _, s := range [...]string{"<p><a href=\"", loc, "\">", text, "</a></p>\n"} {
		b = append(b, s...)
	}
	return b
}

// AppendProse appends a paragraph of n of the words.
func AppendProse(b []byte, r *rand.Rand, words []string, n int) []byte {
	b = append(b, "<p>"...)
	for range n {
		b = append(append(b, words[r.IntN(len(words))]...), ' ')
	}
	return append(b, "</p>\n"...)
}

// Hash returns a number that depends only on a text.
func Hash(text string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(text))
	return h.Sum64()
}
