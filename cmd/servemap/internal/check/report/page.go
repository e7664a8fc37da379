package report

import (
	"embed"
	"html/template"
	"io"
	"strings"
	plain "text/template"

	"github.com/servemap/servemap/internal/inspect"
	"github.com/servemap/servemap/internal/page/words"
)

//go:embed page.css page.html page.md page.txt
var source embed.FS

var (
	css, _   = source.ReadFile("page.css")
	funcs    = map[string]any{"num": words.Number, "md": markdown.Replace}
	page     = template.Must(template.New("page.html").Funcs(funcs).ParseFS(source, "page.html"))
	markPage = plain.Must(plain.New("page.md").Funcs(funcs).ParseFS(source, "page.md"))
	textPage = plain.Must(plain.New("page.txt").Funcs(funcs).ParseFS(source, "page.txt"))
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
	return markPage.Execute(w, r.view(all, inFile))
}

// Text writes the report for people.
func (r *Report) Text(w io.Writer, all bool, s Style) error {
	v := r.view(all, examples)
	v.Style = s
	return textPage.Execute(w, v)
}
