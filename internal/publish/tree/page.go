package tree

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"

	"github.com/servemap/servemap/internal/admin/style"
)

// The style sheets of the tree, which an owner's layout gets, and of this package's own
// page.
var (
	//go:embed tree.css
	treeStyle string
	//go:embed page.css
	pageStyle string
	ownStyle  = style.Tokens + pageStyle + treeStyle
)

// styleHash is the source of the style element in the Content-Security-Policy.
var styleHash = func() string {
	sum := sha256.Sum256([]byte(ownStyle))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}()

var pageTemplate = template.Must(template.New("page").Parse(`<!doctype html>
<html lang="{{.Lang}}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{.Title}} · {{.Host}}</title>
<link rel="canonical" href="{{.Canonical}}">
<style>{{.Style}}</style>
</head>
<body>
<header>
<p><a href="{{.Home}}">{{.Host}}</a></p>
</header>
<main>
<h1 dir="auto">{{.Title}}</h1>
{{.Tree}}</main>
</body>
</html>
`))

var treeTemplate = template.Must(template.New("tree").Parse(`
{{- define "links"}}{{if .}}<ul>
{{range .}}<li dir="auto"{{if .Folder}} class="folder"{{end}}><a href="{{.Href}}">{{.Text}}</a>{{with .Note}} <small>{{.}}</small>{{end}}</li>
{{end}}</ul>
{{end}}{{end}}
{{- define "title"}}{{if .Href}}<a href="{{.Href}}">{{.Title}}</a>{{else}}{{.Title}}{{end}}{{end}}
{{- define "more"}}{{with .}}<p class="more"><a href="{{.Href}}" dir="auto">{{.Text}}</a></p>
{{end}}{{end -}}
<div class="sitemap">
{{with .Crumbs}}<ol class="crumbs">
{{range .}}<li dir="auto"><a href="{{.Href}}">{{.Text}}</a></li>
{{end}}</ol>
{{end}}
{{- with .Links}}<div class="pages">
{{template "links" .}}</div>
{{end}}
{{- with .Groups}}<div class="groups">
{{template "links" .}}</div>
{{end}}
{{- with .Sections}}<div class="folders">
{{range .}}<section>
<h2 dir="auto">{{template "title" .}}</h2>
{{template "links" .Links}}
{{- range .Sections}}<h3 dir="auto">{{template "title" .}}</h3>
{{template "links" .Links}}
{{- end}}
{{- template "more" .More}}</section>
{{end}}</div>
{{end}}
{{- template "more" .All -}}
</div>
`))
