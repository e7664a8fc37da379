// Package report has what a check found, grouped by kind, and writes it for people, programs and clients: as text,
// JSON, Markdown, CSV and one page of HTML. It asks nobody and decides nothing.
package report

import (
	"cmp"
	_ "embed" // for the table
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/servemap/servemap/internal/decide/capability"
	"github.com/servemap/servemap/internal/page/location"
	"github.com/servemap/servemap/internal/page/words"
)

// Finding is something that a crawler or a reader of the sitemap would object to.
type Finding struct {
	Level string `json:"level"` // "fault", or "advice" for what crawlers ignore, or costs visitors
	Kind  string `json:"kind"`
	At
	Text string `json:"text"`
}

// At is where something was found.
type At struct {
	Where string `json:"where"`          // the file, or the URL of a page
	File  string `json:"file,omitempty"` // that names the page
	Line  int    `json:"line,omitempty"` // in the file
	To    string `json:"to,omitempty"`   // where its link leads, if that is wrong
	// From are the first pages that have this link, if all are wanted.
	From []string `json:"from,omitempty"`
}

// Group has what was found of one kind.
type Group struct {
	Level    string    `json:"level"`
	Harm     string    `json:"harm"`
	Kind     string    `json:"kind"`
	Count    int       `json:"count"`
	Title    string    `json:"title"`
	Remedy   string    `json:"remedy"`
	Hint     string    `json:"-"`                  // for who runs the check
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
}

// kept is how many findings of a kind are kept. All are counted.
const kept = 1000

// longest is how long a text of others may be in a finding, in bytes.
const longest = 300

// param matches a parameter of an address.
var param = regexp.MustCompile(`([?&;])([^?&;=#\s/]+)=([^&;#\s/]+)`)

// password matches what an address has before its host.
var password = regexp.MustCompile(`(://[^/?#@:\s]*):[^/?#@\s]*@`)

// secretive matches parameters of which the last word of the name says that they hold a secret, or that hold a mail
// address.
var secretive = regexp.MustCompile(`(?i)^[^=]*(?:token|secret|signature|passw\w*|e-?mail|[_-]key|apikey)=|` +
	`=[^=@]+(?:@|%40)[^=@]+\.[a-z]+$`)

// Secretly is how long a name is that may be a secret, where shorter ones are mostly numbers of articles.
const Secretly = 16

// Hide leaves out of the addresses in a text what nobody else should read: passwords, sessions, tokens, mail addresses.
// What only looks like a secret is cut, so that two addresses stay two.
func Hide(s string) string {
	s = password.ReplaceAllString(s, "$1:…@")
	return param.ReplaceAllStringFunc(s, func(pair string) string {
		name, value, _ := strings.Cut(pair[1:], "=")
		switch {
		case strings.HasSuffix(pair, "…"): // as it was cut
		case location.IsSession(name), secretive.MatchString(pair[1:]):
			return pair[:1] + name + "=…"
		case len(value) >= Secretly && capability.Looks("/"+value):
			return pair[:1] + name + "=" + strings.ToValidUTF8(value[:4], "") + "…"
		}
		return pair
	})
}

// Shorten cuts a text of others, and says how long it was. What [Hide] hides is left out.
func Shorten(s string) string {
	s = Hide(s)
	if len(s) <= longest {
		return s
	}
	cut := longest * 2 / 3
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return fmt.Sprintf("%s… (%s)", s[:cut], words.Size(len(s)))
}

// Add adds a finding of a kind to its group. The groups are in the order of the table, by the harm that they do.
func (r *Report) Add(kind string, at At, text string, args ...any) {
	k, is := kinds[kind]
	if !is {
		panic("report: no kind " + kind)
	}
	n, is := slices.BinarySearchFunc(r.Groups, k.place,
		func(g Group, place int) int { return kinds[g.Kind].place - place })
	if !is {
		r.Groups = slices.Insert(r.Groups, n, Group{Level: k.level, Harm: k.harm, Kind: kind})
	}
	g := &r.Groups[n]
	if g.Count++; g.Count <= 2 {
		g.Title, g.Remedy, g.Hint = words.Form(k.title, g.Count), words.Form(k.remedy, g.Count), k.hint
	}
	if g.Count <= kept {
		for i, a := range args {
			if s, is := a.(string); is {
				args[i] = Shorten(s)
			}
		}
		at.Where, at.File, at.To = Shorten(at.Where), Shorten(at.File), Shorten(at.To)
		for i, from := range at.From {
			at.From[i] = Shorten(from)
		}
		g.Findings = append(g.Findings, Finding{k.level, kind, at, fmt.Sprintf(text, args...)})
	}
	if k.level == fault {
		r.Faults++
	} else {
		r.Advice++
	}
}

// Of says in the title of a kind of which number of pages these are.
func (r *Report) Of(kind string, n int) {
	if g := r.group(kind); g.Count > 0 {
		title := words.Form(kinds[kind].title, g.Count)
		g.Title = "of " + words.Count(n, "page") + " read" + title[strings.Index(title, " "):]
	}
}

// group returns what was found of a kind.
func (r *Report) group(kind string) *Group {
	for i := range r.Groups {
		if r.Groups[i].Kind == kind {
			return &r.Groups[i]
		}
	}
	return new(Group)
}

// IsFault reports whether what is found of a kind is a fault.
func IsFault(kind string) bool { return kinds[kind].level == fault }

// Count returns how much of a kind was found.
func (r *Report) Count(kind string) int { return r.group(kind).Count }

// Has reports whether something of a kind was found.
func (r *Report) Has(kind string) bool { return r.Count(kind) > 0 }

// Checked returns how many of the listed pages were judged: the site itself answered, or nothing did.
func (r *Report) Checked() int { return r.Sample.Asked - r.Count("wall") - r.Count("busy") }

// Unread reports whether none of the pages that there are, or may be, could be checked.
func (r *Report) Unread() bool {
	return r.Checked() == 0 && (r.Sample.Listed > 0 || r.Has("wall-file") || len(r.Files) == 0)
}

// state says what was found, and whether that is good, to be looked at, or waits for a check that reads more.
func (r *Report) state() (care, text string) {
	kinds := 0 // of faults
	for _, g := range r.Groups {
		if g.Level == fault {
			kinds++
		}
	}
	switch s := r.Sample; {
	case kinds > 1:
		return "look", words.Count(r.Faults, "fault") + " of " + words.Number(kinds) + " kinds"
	case kinds > 0:
		return "look", words.Count(r.Faults, "fault")
	case r.Unread():
		return "wait", "nothing could be checked"
	case 2*r.Checked() < s.Asked:
		return "wait", words.Number(r.Checked()) + " of " + words.Count(s.Asked, "page") + " could be checked"
	}
	return "good", "0 faults"
}

// Maker names the program, with its version if that has a name.
func (r *Report) Maker() string { return strings.TrimSuffix("servemap "+r.Version, " (devel)") }

// Read reports whether a sitemap was read, whole or in part.
func (r *Report) Read() bool {
	return slices.ContainsFunc(r.Files, func(f File) bool { return f.Form != "" })
}

// Lead says to a client what was read, what matters most of what was found, and what to do about that first.
func (r *Report) Lead() string { return say("lead.txt", r) }

// Matters returns what matters most of what was found: faults before advice, then by the harm that it does, and then by
// how many entries are hit. What needs no count hits all.
func (r *Report) Matters() Group {
	hit := func(g Group) int {
		if g.Counted() == "" {
			return math.MaxInt
		}
		return g.Count
	}
	return slices.MinFunc(r.Groups, func(a, b Group) int {
		return cmp.Or(strings.Compare(b.Level, a.Level), kinds[a.Kind].part-kinds[b.Kind].part, cmp.Compare(hit(b), hit(a)))
	})
}

// Todo says what was found of a kind, and what to do first.
func (g Group) Todo() string {
	what, do := g.Heading(), strings.SplitN(g.Remedy, ". ", 2)[0]
	if g.Count == 1 && g.Counted() != "" {
		what += ": " + cmp.Or(g.Findings[0].To, g.Findings[0].Where)
	}
	return strings.ToLower(what[:1]) + what[1:] + ". " + strings.TrimSuffix(do, ".") + "."
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
	text := words.Count(r.Sample.Listed, "page") + " listed, " + words.Number(r.Checked()) + " checked: " + state
	if r.Advice > 0 {
		text += ", " + words.Count(r.Advice, "piece") + " of advice"
	}
	return text
}

// Asked says which pages were asked for, and which of these were checked, so that the numbers add up.
func (r *Report) Asked() string { return say("sample.txt", r) }

// Answers says how many pages were answered with what.
func (s Sample) Answers() string {
	all := parts(": ", "with a page", s.Read-s.Files, "with a redirect, an error or nothing", s.Asked-s.Read-s.Walled,
		"with a bot wall", s.Walled, "with a file", s.Files)
	return strings.Replace(all, " with", " answered with", 1)
}

// say returns a text of the package about something, in one line.
func say(name string, about any) string {
	var b strings.Builder
	_ = texts.ExecuteTemplate(&b, name, about) // to memory
	return strings.Join(strings.Fields(b.String()), " ")
}

// parts names what each number is of, behind how that begins. It leaves out what there is none of.
func parts(begin string, all ...any) (text string) {
	for i := 0; i < len(all); i += 2 {
		if n := all[i+1].(int); n > 0 {
			text, begin = text+begin+words.Number(n)+" "+all[i].(string), ", "
		}
	}
	return text
}

const fault, advice = "fault", "advice"

// kind is a row of the table of all that may be found.
type kind struct {
	level, title, remedy, hint string
	harm                       string // that it does
	part, place                int    // in the table
}

//go:embed kinds.tsv
var table string

// Remedy says what to do about findings of a kind.
func Remedy(kind string) string { return words.Form(kinds[kind].remedy, 1) }

// Names are those of all kinds, and of their levels.
func Names() []string { return append(slices.Sorted(maps.Keys(kinds)), fault, advice) }

var kinds = func() map[string]kind {
	byName, harm, part := map[string]kind{}, "", 0
	for line := range strings.Lines(table) {
		if f := append(strings.Split(strings.TrimSpace(line), "\t"), ""); line[0] == '=' {
			harm, part = f[0][2:], part+1
		} else if line[0] != '#' {
			byName[f[0]] = kind{f[1], f[2], f[3], f[4], harm, part, len(byName)}
		}
	}
	return byName
}()
