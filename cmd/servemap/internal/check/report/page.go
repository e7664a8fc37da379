package report

import (
	"embed"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	plain "text/template"

	"github.com/servemap/servemap/internal/inspect"
	"github.com/servemap/servemap/internal/page/words"
)

// web matches a whole address, as it was written, to which a reader may go.
var web = regexp.MustCompile(`(?i)^https?://[^/?#@…\s]+(?:[/?#][^…\s]*)?$`)

//go:embed page.css page.html page.md page.txt lead.txt sample.txt
var source embed.FS

var (
	css, _ = source.ReadFile("page.css")
	funcs  = map[string]any{"num": words.Number, "md": markdown.Replace, "count": words.Count[int], "parts": parts,
		"form": words.Form, "web": web.MatchString}
	page  = template.Must(template.New("page.html").Funcs(funcs).ParseFS(source, "page.html"))
	texts = plain.Must(plain.New("texts").Funcs(funcs).ParseFS(source, "*.txt", "*.md"))
	// markdown escapes a text of strangers.
	markdown = strings.NewReplacer(`\`, `\\`, "&", "&amp;", "|", `\|`, "<", "&lt;", "*", `\*`, "_", `\_`, "`", "\\`", "[",
		`\[`, "\n", " ", "\r", " ")
)

// How many findings of a kind are shown unless all are: on a terminal, and in a file.
const (
	examples = 3
	inFile   = 50
)

// Style is how a text is shown.
type Style struct {
	Width  int                            // of a line, 0 if none is to be wrapped
	Paint  func(code, text string) string // gives a text a colour
	Escape func(text string) string       // makes what others wrote harmless
}

// view is what the pages show.
type view struct {
	*Report
	Style
	All  bool
	Most int    // findings of a kind
	Few  []File // that the text names
	CSS  template.CSS
}

// view returns what pages show that name so many findings of a kind, unless all are wanted.
func (r *Report) view(all bool, most int) view {
	v := view{Report: r, All: all, Most: most, Few: r.Files, CSS: template.CSS(inspect.Tokens + string(css))}
	if all {
		v.Most = kept
	} else if len(r.Files) > 11 { // one takes no more room than to say that there is one more
		v.Few = r.Files[:10]
	}
	return v
}

// Wrapped returns a text in lines that are no wider than the style says.
func (v view) Wrapped(text, indent string) string { return Wrap(v.Escape(text), indent, v.Width) }

// HTML writes the report as one page, in the inspector's colours and without scripts, to be handed to somebody or
// printed. all says to show each finding that was kept.
func (r *Report) HTML(w io.Writer, all bool) error { return page.Execute(w, r.view(all, inFile)) }

// Markdown writes the report for a ticket or a wiki.
func (r *Report) Markdown(w io.Writer, all bool) error {
	return texts.ExecuteTemplate(w, "page.md", r.view(all, inFile))
}

// Text writes the report for people.
func (r *Report) Text(w io.Writer, all bool, s Style) error {
	v := r.view(all, examples)
	v.Style = s
	return texts.ExecuteTemplate(w, "page.txt", v)
}

// Shown returns the findings of a group that are shown, at most so many.
func (g Group) Shown(most int) []Finding { return g.Findings[:min(len(g.Findings), most)] }

// Left returns how many more there are.
func (g Group) Left(most int) int { return g.Count - len(g.Shown(most)) }

// Colour is that of its level on a terminal.
func (g Group) Colour() string { return map[string]string{fault: "1;31", advice: "1;33"}[g.Level] }

// Heading names a group, with its count unless its title needs none.
func (g Group) Heading() string { return strings.TrimSpace(g.Counted() + " " + g.Title) }

// Counted returns the count of a group, "" if its title needs none.
func (g Group) Counted() string {
	if g.Title[0] < 'a' {
		return ""
	}
	return words.Number(g.Count)
}

// Wrap breaks a text between words where a line would be wider than that, unless it is 0, and indents each line.
func Wrap(text, indent string, width int) string {
	var b strings.Builder
	length := 0
	for word := range strings.FieldsSeq(text) {
		n := len([]rune(word))
		switch {
		case length == 0:
			b.WriteString(indent)
			length = len(indent)
		case width > 0 && length+1+n > width:
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

// Does says what a file is, without its address.
func (f File) Does() (what string) {
	entries := words.Count(f.Entries, "entry") // of some pages there may be several
	switch f.Form {
	case "":
		if what = "no sitemap"; f.Bytes == 0 {
			return "not read"
		}
	case "index":
		what = "index of " + words.Count(f.Entries, "file")
	default:
		what = map[string]string{"rss": "RSS, ", "atom": "Atom, ", "text": "text, "}[f.Form] + entries
	}
	if what += ", " + words.Size(f.Bytes); f.To != "" {
		what += ", redirects to " + f.To
	}
	return what
}

// Place says where a finding is.
func (f Finding) Place() string {
	if f.Line > 0 && f.File == "" {
		return f.Where + ", line " + strconv.Itoa(f.Line) + ":"
	}
	return f.Where
}

// Listed says where a page that was found stands in the sitemap, "" if that is not what was found.
func (r *Report) Listed(f Finding) string {
	if f.File == "" {
		return ""
	}
	return fmt.Sprintf(" (line %d of %s)", f.Line, strings.TrimPrefix(f.File, r.Site))
}

// encoder writes JSON as people read it.
func encoder(w io.Writer) *json.Encoder {
	to := json.NewEncoder(w)
	to.SetEscapeHTML(false)
	return to
}

// JSON writes each finding that was kept as an object a line, and the report without them as the last.
func (r *Report) JSON(w io.Writer) error {
	to, short := encoder(w), *r
	short.Groups = slices.Clone(r.Groups)
	for i, g := range r.Groups {
		for _, f := range g.Findings {
			if err := to.Encode(f); err != nil {
				return err
			}
		}
		short.Groups[i].Findings = nil
	}
	return to.Encode(struct {
		Level string `json:"level"`
		*Report
	}{"summary", &short})
}

// Document writes the report as one JSON document.
func (r *Report) Document(w io.Writer) error {
	to := encoder(w)
	to.SetIndent("", "  ")
	return to.Encode(r)
}

// CSV writes a row for each finding that was kept.
func (r *Report) CSV(w io.Writer) error {
	rows := [][]string{{"level", "kind", "where", "file", "line", "text", "remedy", "to"}}
	for _, g := range r.Groups {
		for _, f := range g.Findings {
			line := strings.TrimPrefix(strconv.Itoa(f.Line), "0") // no line is 0
			row := []string{f.Level, f.Kind, f.Where, f.File, line, f.Text, g.Remedy, f.To}
			for i, text := range row {
				if strings.IndexAny(text, "=+-@\t\r") == 0 { // else a table takes it for a formula
					row[i] = "'" + text
				}
			}
			rows = append(rows, row)
		}
	}
	return csv.NewWriter(w).WriteAll(rows)
}
