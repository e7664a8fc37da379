package tree

import (
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// affixes are beginnings and ends that most titles have in common, such as " | Shop", the
// longest first.
type affixes struct{ heads, tails []string }

// separators stand in titles between the name of the page and that of the site.
var separators = []string{" | ", " - ", " – ", " — ", " · ", " • ", " » ", " « ", " :: ", ": "}

// leastTitles is how many titles it takes to find what most have in common.
const leastTitles = 3

// common returns what more than half of the titles begin or end with.
func common(titles []string) (a affixes) {
	heads, tails, n := map[string]int{}, map[string]int{}, 0
	for _, title := range titles {
		if title == "" {
			continue
		}
		n++
		for _, sep := range separators {
			for at := 0; ; {
				i := strings.Index(title[at:], sep)
				if i < 0 {
					break
				}
				at += i
				tails[title[at:]]++
				at += len(sep)
				heads[title[:at]]++
			}
		}
	}
	return affixes{shared(heads, n), shared(tails, n)}
}

func shared(counts map[string]int, n int) (all []string) {
	for text, count := range counts {
		if n >= leastTitles && 2*count > n {
			all = append(all, text)
		}
	}
	slices.SortFunc(all, func(a, b string) int { return len(b) - len(a) })
	return all
}

// strip returns a title without what most titles have in common.
func (a affixes) strip(title string) string {
	for _, tail := range a.tails {
		if rest, is := strings.CutSuffix(title, tail); is && strings.TrimSpace(rest) != "" {
			title = rest
			break
		}
	}
	for _, head := range a.heads {
		if rest, is := strings.CutPrefix(title, head); is && strings.TrimSpace(rest) != "" {
			title = rest
			break
		}
	}
	return strings.TrimSpace(title)
}

// longestLabel is how many characters of a title are shown.
const longestLabel = 120

// label returns the text of the link to a page.
func (a affixes) label(e entry) string {
	text := a.strip(e.title)
	if text == "" {
		text = name(e.location)
	}
	if utf8.RuneCountInString(text) > longestLabel {
		text = strings.TrimSpace(string([]rune(text)[:longestLabel-1])) + "…"
	}
	return text
}

// name returns the last segment of a location as words, "" for the root of a host.
func name(location string) string {
	path, query, _ := strings.Cut(location, "?")
	path = strings.TrimSuffix(path, "/")
	text := readable(path[strings.LastIndexByte(path, '/')+1:])
	for _, ending := range []string{".html", ".htm", ".xhtml", ".php"} {
		text = strings.TrimSuffix(text, ending)
	}
	text = strings.TrimSpace(strings.NewReplacer("-", " ", "_", " ", "+", " ").Replace(text))
	if r, n := utf8.DecodeRuneInString(text); n > 0 {
		text = string(unicode.ToUpper(r)) + text[n:]
	}
	if query != "" {
		text += " (" + readable(query) + ")"
	}
	return strings.TrimSpace(text)
}

// readable undoes percent-encoding if the result is text.
func readable(s string) string {
	text, err := url.PathUnescape(s)
	if err != nil || !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl) {
		return s
	}
	return text
}
