package report

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// examples is how many findings of a kind are shown.
const examples = 3

// shown returns the findings of a group that are shown, and how many are left out.
func (g Group) shown(all bool) (some []Finding, left int) {
	n := len(g.Findings)
	if !all {
		n = min(n, examples)
	}
	return g.Findings[:n], g.Count - n
}

// Some returns the findings of a group that are shown to everybody.
func (g Group) Some() []Finding { some, _ := g.shown(false); return some }

// Left returns how many there are beyond them.
func (g Group) Left() int { _, left := g.shown(false); return left }

// heading names a group with its count.
func (g Group) heading() string { return Number(g.Count) + " " + g.Title }

// Style is how a text is shown.
type Style struct {
	Paint  func(code, text string) string // gives a text a colour
	Escape func(text string) string       // makes what others wrote harmless
}

// Text writes the report for people. all says to show each finding that was kept.
func (r *Report) Text(w io.Writer, all bool, s Style) error {
	var b strings.Builder
	for _, f := range r.fewFiles(all) {
		fmt.Fprintln(&b, s.Escape(f.line()))
	}
	if left := len(r.Files) - len(r.fewFiles(all)); left > 0 {
		fmt.Fprintf(&b, "and %s more; -all names them\n", Count(left, "file"))
	}
	fmt.Fprintf(&b, "\n%s\n", Wrap(r.Sample.Text(), "", width))
	for _, text := range append(append([]string{}, r.Facts...), r.Limits...) {
		fmt.Fprintln(&b, Wrap(s.Escape(text), "", width))
	}
	for _, g := range r.Groups {
		colour := "1;31"
		if g.Level == advice {
			colour = "1;33"
		}
		fmt.Fprintf(&b, "\n%s  %s\n%s\n", s.Paint(colour, fmt.Sprintf("%-6s", g.Level)), s.Paint("1", g.heading()), Wrap(g.Remedy, "        ", width))
		some, left := g.shown(all)
		for _, f := range some {
			fmt.Fprintf(&b, "        - %s %s\n", s.Escape(f.place()), s.Escape(f.Text))
		}
		switch {
		case left > 0 && all:
			fmt.Fprintf(&b, "        and %s more\n", Number(left))
		case left > 0:
			fmt.Fprintf(&b, "        and %s more; -all names them\n", Number(left))
		}
	}
	fmt.Fprintf(&b, "\n%s\n", s.Paint("1", r.Result()))
	_, err := io.WriteString(w, b.String())
	return err
}

// width is how long a line of text is.
const width = 100

// Wrap breaks a text between words, and indents each line.
func Wrap(text, indent string, width int) string {
	var b strings.Builder
	length := 0
	for word := range strings.FieldsSeq(text) {
		n := len([]rune(word))
		switch {
		case length == 0:
			b.WriteString(indent)
			length = len(indent)
		case length+1+n > width:
			b.WriteString("\n" + indent)
			length = len(indent)
		default:
			b.WriteByte(' ')
			length++
		}
		b.WriteString(word)
		length += n
	}
	return b.String()
}

// fewFiles returns the files that are shown.
func (r *Report) fewFiles(all bool) []File {
	if all {
		return r.Files
	}
	return r.Files[:min(len(r.Files), 10)]
}

// line tells of a file.
func (f File) line() string {
	what := "not read"
	switch f.Form {
	case "":
	case "index":
		what = "index of " + Count(f.Entries, "file")
	case "sitemap":
		what = Count(f.Entries, "page")
	default:
		what = map[string]string{"rss": "RSS", "atom": "Atom", "text": "text"}[f.Form] + ", " + Count(f.Entries, "page")
	}
	if f.Form == "" && f.Bytes > 0 {
		what = "no sitemap"
	}
	if f.Form != "" || f.Bytes > 0 {
		what += ", " + Size(f.Bytes)
	}
	if f.To != "" {
		what += ", from " + f.To
	}
	return f.URL + "  " + what
}

// Does says what a file is, without its address.
func (f File) Does() string { _, what, _ := strings.Cut(f.line(), "  "); return what }

// place says where a finding is.
func (f Finding) place() string {
	if f.Line > 0 && f.File == "" && !strings.Contains(f.Text, "line ") {
		return f.Where + ", line " + strconv.Itoa(f.Line) + ","
	}
	if strings.HasPrefix(f.Text, "line ") {
		return f.Where + ","
	}
	return f.Where
}

// Place is place, for the page.
func (f Finding) Place() string { return f.place() }

// JSON writes each finding that was kept as an object a line, and the report without them as the last.
func (r *Report) JSON(w io.Writer) error {
	to := json.NewEncoder(w)
	to.SetEscapeHTML(false)
	short := *r
	short.Groups = []Group{}
	for _, g := range r.Groups {
		for _, f := range g.Findings {
			if err := to.Encode(f); err != nil {
				return err
			}
		}
		g.Findings = nil
		short.Groups = append(short.Groups, g)
	}
	return to.Encode(struct {
		Level string `json:"level"`
		*Report
	}{"summary", &short})
}

// Document writes the report as one JSON document.
func (r *Report) Document(w io.Writer) error {
	to := json.NewEncoder(w)
	to.SetEscapeHTML(false)
	to.SetIndent("", "  ")
	return to.Encode(r)
}

// CSV writes a row for each finding that was kept.
func (r *Report) CSV(w io.Writer) error {
	rows := [][]string{{"level", "kind", "where", "file", "line", "text", "remedy"}}
	for _, g := range r.Groups {
		for _, f := range g.Findings {
			line := ""
			if f.Line > 0 {
				line = strconv.Itoa(f.Line)
			}
			rows = append(rows, []string{f.Level, f.Kind, harmless(f.Where), harmless(f.File), line, harmless(f.Text), g.Remedy})
		}
	}
	return csv.NewWriter(w).WriteAll(rows)
}

// harmless keeps a table from taking a text of strangers for a formula.
func harmless(text string) string {
	if text != "" && strings.ContainsRune("=+-@\t\r", rune(text[0])) {
		return "'" + text
	}
	return text
}

// Markdown writes the report for a ticket or a wiki.
func (r *Report) Markdown(w io.Writer, all bool) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# Sitemap of %s\n\n**%s**\n\nChecked %s with servemap %s.\n\n%s\n\n", markdown(r.Site), r.Result(), r.Time.Format("2 January 2006, 15:04 UTC"), r.Version, markdown(r.Sample.Text()))
	for _, text := range append(append([]string{}, r.Facts...), r.Limits...) {
		fmt.Fprintf(&b, "%s\n\n", markdown(text))
	}
	b.WriteString("| file | what it is |\n|---|---|\n")
	for _, f := range r.fewFiles(all) {
		fmt.Fprintf(&b, "| %s | %s |\n", markdown(f.URL), markdown(f.Does()))
	}
	if left := len(r.Files) - len(r.fewFiles(all)); left > 0 {
		fmt.Fprintf(&b, "| and %s more | |\n", Count(left, "file"))
	}
	for _, g := range r.Groups {
		fmt.Fprintf(&b, "\n## %s: %s\n\n%s\n\n", strings.ToUpper(g.Level[:1])+g.Level[1:], g.heading(), markdown(g.Remedy))
		some, left := g.shown(all)
		for _, f := range some {
			fmt.Fprintf(&b, "- %s %s\n", markdown(f.place()), markdown(f.Text))
		}
		if left > 0 {
			fmt.Fprintf(&b, "- and %s more\n", Number(left))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// markdown escapes a text of strangers.
var markdownSigns = strings.NewReplacer(`\`, `\\`, "|", `\|`, "<", "&lt;", "*", `\*`, "_", `\_`, "`", "\\`", "[", `\[`, "\n", " ", "\r", " ")

func markdown(text string) string { return markdownSigns.Replace(text) }
