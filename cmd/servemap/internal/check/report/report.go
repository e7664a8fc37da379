// Package report has what a check found, grouped by kind, and writes it for people, programs and clients: as text,
// JSON, Markdown, CSV and one page of HTML. It asks nobody and decides nothing.
package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Finding is something that a validator, a crawler or a reader of the sitemap would object to.
type Finding struct {
	Level string `json:"level"` // "fault", or "advice" for what is allowed and does not help
	Kind  string `json:"kind"`
	At
	Text string `json:"text"`
}

// At is where something was found.
type At struct {
	Where string `json:"where"`          // the file, or the URL of a page
	File  string `json:"file,omitempty"` // that names the page
	Line  int    `json:"line,omitempty"` // in the file
}

// Group has what was found of one kind.
type Group struct {
	Level    string    `json:"level"`
	Kind     string    `json:"kind"`
	Count    int       `json:"count"`
	Title    string    `json:"title"`
	Remedy   string    `json:"remedy"`
	Findings []Finding `json:"findings,omitempty"` // the first ones, in the order of the files
}

// File is a file that was read.
type File struct {
	URL     string `json:"url"`
	Form    string `json:"form"` // sitemap, index, rss, atom, text; "" for a file that could not be read
	Entries int    `json:"entries"`
	Bytes   int    `json:"bytes"` // unpacked
	To      string `json:"to,omitempty"`
}

// Sample says which of the listed pages were read.
type Sample struct {
	Listed     int    `json:"listed"` // pages, each once
	Asked      int    `json:"asked"`
	Read       int    `json:"read"`       // answered with a page, or a file
	Files      int    `json:"files"`      // of these, answered with a file that is no HTML, such as a PDF
	Disallowed int    `json:"disallowed"` // not asked for, as robots.txt disallows them
	Walled     int    `json:"walled"`     // a bot wall answered in their place
	Elsewhere  int    `json:"elsewhere"`  // not asked for, as they are on another host
	Unfit      int    `json:"unfit"`      // not asked for, as their addresses are wrong
	Seed       uint64 `json:"seed"`
	Choice     string `json:"choice,omitempty"` // how they were chosen, if some were
}

// Report is the result of a check.
type Report struct {
	URL     string    `json:"url"`     // as given
	Options string    `json:"options"` // of the command
	Site    string    `json:"site"`
	Time    time.Time `json:"time"`
	Version string    `json:"version"`
	Files   []File    `json:"files"`
	Sample  Sample    `json:"sample"`
	Limits  []string  `json:"limits"` // that were met
	Facts   []string  `json:"facts"`  // what was compared, and with what result
	Faults  int       `json:"faults"`
	Advice  int       `json:"advice"`
	Groups  []Group   `json:"groups"`

	byKind map[string]*Group
}

// kept is how many findings of a kind are kept. All are counted.
const kept = 1000

// longest is how long a text of others may be in a finding, in bytes.
const longest = 300

// Shorten cuts a text of others, and says how long it was.
func Shorten(s string) string {
	if len(s) <= longest {
		return s
	}
	cut := longest * 2 / 3
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return fmt.Sprintf("%s… (%s)", s[:cut], Size(len(s)))
}

// Size writes a number of bytes.
func Size(n int) string {
	switch {
	case n < 1000:
		return Count(n, "byte")
	case n < 1_000_000:
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}

// Number writes a whole number with commas between its thousands.
func Number(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// Count names a number of things.
func Count(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return Number(n) + " " + thing
}

// Add adds a finding of a kind.
func (r *Report) Add(kind string, at At, text string, args ...any) {
	k := kinds[kind]
	if k.level == "" {
		panic("report: no kind " + kind)
	}
	if r.byKind == nil {
		r.byKind = map[string]*Group{}
	}
	g := r.byKind[kind]
	if g == nil {
		g = &Group{Level: k.level, Kind: kind, Remedy: k.remedy}
		r.byKind[kind] = g
	}
	if g.Count++; g.Count <= kept {
		for i, a := range args {
			if s, is := a.(string); is {
				args[i] = Shorten(s)
			}
		}
		if len(args) > 0 {
			text = fmt.Sprintf(text, args...)
		}
		at.Where, at.File = Shorten(at.Where), Shorten(at.File)
		g.Findings = append(g.Findings, Finding{k.level, kind, at, text})
	}
	if k.level == fault {
		r.Faults++
	} else {
		r.Advice++
	}
}

// IsFault reports whether what is found of a kind is a fault.
func IsFault(kind string) bool { return kinds[kind].level == fault }

// Has reports whether something of a kind was found.
func (r *Report) Has(kind string) bool { return r.byKind[kind] != nil }

// Finish puts the groups into their order: faults first, and then as the table has them.
func (r *Report) Finish() {
	r.Groups = []Group{}
	for name, g := range r.byKind {
		k := kinds[name]
		g.Title = k.one
		if g.Count != 1 {
			g.Title = k.many
		}
		r.Groups = append(r.Groups, *g)
	}
	slices.SortFunc(r.Groups, func(a, b Group) int {
		return cmp.Or(-cmp.Compare(a.Level, b.Level), cmp.Compare(kinds[a.Kind].place, kinds[b.Kind].place))
	})
}

// Unread reports whether none of the pages that there are, or may be, could be read.
func (r *Report) Unread() bool {
	return r.Sample.Read == 0 && (r.Sample.Listed > 0 || r.Has("wall-file") || len(r.Files) == 0)
}

// state says what was found, and whether that is good, to be looked at, or waits for a check that reads more.
func (r *Report) state() (care, text string) {
	kinds := 0
	for _, g := range r.Groups {
		if g.Level == fault {
			kinds++
		}
	}
	switch s := r.Sample; {
	case kinds > 1:
		return "look", Count(r.Faults, "fault") + " of " + Number(kinds) + " kinds"
	case r.Faults > 0:
		return "look", Count(r.Faults, "fault")
	case r.Unread():
		return "wait", "nothing could be checked"
	case 2*s.Read < s.Asked:
		return "wait", Number(s.Read) + " of " + Count(s.Asked, "page") + " could be checked"
	}
	return "good", "0 faults"
}

// Care is good, look or wait, as the headline is: for the colour beside it.
func (r *Report) Care() string { care, _ := r.state(); return care }

// Headline says what was found.
func (r *Report) Headline() string {
	care, text := r.state()
	if care == "good" {
		return "No fault found"
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// Result says in one line what was found.
func (r *Report) Result() string {
	_, state := r.state()
	text := Count(r.Sample.Listed, "page") + " listed, " + Number(r.Sample.Read) + " read: " + state
	if r.Advice > 0 {
		text += ", " + Count(r.Advice, "piece") + " of advice"
	}
	return text
}

// Text says which pages were read, so that the numbers add up.
func (s Sample) Text() string {
	text := fmt.Sprintf("%s of %s listed pages were asked for", Number(s.Asked), Number(s.Listed))
	switch {
	case s.Listed == 0:
		return "No listed page was found."
	case s.Asked == 1 && s.Listed == 1:
		text = "The one listed page was asked for"
	case s.Asked == s.Listed:
		text = "All " + Number(s.Listed) + " listed pages were asked for"
	case s.Asked == 0:
		text = "No page was read"
	case s.Choice != "":
		text += fmt.Sprintf(", chosen %s (seed %d)", s.Choice, s.Seed)
	}
	answers := parts(
		part{s.Read - s.Files, "with a page"}, part{s.Asked - s.Read - s.Walled, "with a redirect, an error or nothing"},
		part{s.Walled, "with a bot wall"}, part{s.Files, "with a file"},
	)
	if answers != "" {
		text += ": " + strings.Replace(answers, " ", " answered ", 1)
	}
	if s.Choice != "" {
		text += ". What is said of pages holds for these alone"
	}
	left := parts(
		part{s.Disallowed, "that robots.txt disallows"}, part{s.Unfit, "whose address is wrong or not of this site"},
		part{s.Elsewhere, "on another host"},
	)
	if left != "" {
		text += ". Not asked for: " + left
	}
	return text + "."
}

// part is a number of things.
type part struct {
	n  int
	of string
}

// parts names those parts that are not empty.
func parts(all ...part) string {
	var some []string
	for _, p := range all {
		if p.n > 0 {
			some = append(some, Number(p.n)+" "+p.of)
		}
	}
	return strings.Join(some, ", ")
}
