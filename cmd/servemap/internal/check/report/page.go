package report

import (
	_ "embed" // for the pages
	"html/template"
	"io"
	"strings"
	plain "text/template"

	"github.com/servemap/servemap/internal/inspect"
)

//go:embed page.html
var source string

//go:embed page.css
var style string

//go:embed page.md
var wiki string

var (
	funcs    = map[string]any{"num": Number, "count": Count, "md": markdown.Replace}
	page     = template.Must(template.New("report").Funcs(funcs).Parse(source))
	markPage = plain.Must(plain.New("report").Funcs(funcs).Parse(wiki))
	// markdown escapes a text of strangers.
	markdown = strings.NewReplacer(`\`, `\\`, "&", "&amp;", "|", `\|`, "<", "&lt;", "*", `\*`, "_", `\_`, "`", "\\`", "[", `\[`,
		"\n", " ", "\r", " ")
)

// view is what the pages show.
type view struct {
	*Report
	All   bool
	Most  int // findings of a kind
	Style template.CSS
}

// HTML writes the report as one page, in the inspector's colours and without scripts, to be handed to somebody or printed.
func (r *Report) HTML(w io.Writer, all bool) error {
	return page.Execute(w, view{r, all, mostIn(all), template.CSS(inspect.Tokens + style)})
}

// Markdown writes the report for a ticket or a wiki.
func (r *Report) Markdown(w io.Writer, all bool) error {
	return markPage.Execute(w, view{Report: r, All: all, Most: mostIn(all)})
}

// mostIn returns how many findings of a kind a file shows.
func mostIn(all bool) int {
	if all {
		return kept
	}
	return inFile
}
