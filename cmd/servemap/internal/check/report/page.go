package report

import (
	_ "embed" // for the page
	"html/template"
	"io"

	"github.com/servemap/servemap/internal/inspect"
)

//go:embed page.html
var source string

//go:embed page.css
var style string

var page = template.Must(template.New("report").Funcs(template.FuncMap{"num": Number, "count": Count}).Parse(source))

// HTML writes the report as one page, in the inspector's colours and without scripts, to be handed to somebody or printed.
func (r *Report) HTML(w io.Writer, all bool) error {
	return page.Execute(w, struct {
		*Report
		All   bool
		Style template.CSS
	}{r, all, template.CSS(inspect.Tokens + style)})
}
