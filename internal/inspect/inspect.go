// Package inspect shows the owner of a site what servemap has learned: which pages are
// listed, which are not and why, and what has changed. It renders HTML that needs no script,
// and the same as JSON. It asks the site, keeps nothing, and changes nothing except by
// Forget and UndoForget. Its caller decides who may see it.
package inspect

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/gorilla/mux"

	"github.com/servemap/servemap/internal/admin/messages"
	"github.com/servemap/servemap/internal/page/location"
)

// Inspector is an [http.Handler]. The last element of a request's path selects the view.
// All links are relative to that, so an Inspector can be mounted below any path.
type Inspector struct {
	Config
	forged *http.CrossOriginProtection
	token  string // is in the inspector's own forms; no other site can read it
}

// New returns an inspector.
func New(cfg Config) *Inspector { return &Inspector{cfg, http.NewCrossOriginProtection(), rand.Text()} }

// root returns the URL of the location "/", without that slash.
func (c *Config) root() string { return c.Origin.URL("") }

// patience is how long a page waits for the store.
const patience = 5 * time.Second

// Tokens are custom properties of CSS, each colour for light and dark; sheet uses them.
var (
	//go:embed tokens.css
	Tokens string
	//go:embed style.css
	sheet string
	//go:embed copy.js
	script string
	//go:embed icon.svg
	icon []byte // without it, browsers would ask the site for one
)

//go:embed templates
var sources embed.FS

var (
	css = []byte(Tokens + sheet)
	// The names have no ending, by which the site would count them as its own files. New contents get a new name, so
	// browsers may keep them for ever.
	sheetName = "style-" + hashOf(css)
	iconName  = "icon-" + hashOf(icon)
	templates = sync.OnceValue(parse) // parsing takes 7 ms, and few processes show pages

	// policy allows the one script by its hash, and nothing else that runs.
	policy = "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; " +
		"frame-ancestors 'none'; script-src 'sha256-" + base64.StdEncoding.EncodeToString(sum256(script)) + "'"
)

func sum256(s string) []byte {
	sum := sha256.Sum256([]byte(s))
	return sum[:]
}

func hashOf(b []byte) string { return hex.EncodeToString(sum256(string(b))[:6]) }

// parse returns a template for each page, by its name.
func parse() map[string]*template.Template {
	layout := template.Must(template.New("layout.html").Funcs(functions).ParseFS(sources, "templates/layout.html"))
	names, _ := fs.Glob(sources, "templates/*.html")
	pages := map[string]*template.Template{}
	for _, name := range names {
		if base := path.Base(name); base != "layout.html" {
			pages[strings.TrimSuffix(base, ".html")] = template.Must(template.Must(layout.Clone()).ParseFS(sources, name))
		}
	}
	return pages
}

// view is one page. Data is its content, also as JSON.
type view struct {
	Name   string // of its template
	Nav    string // the entry of the menu that leads to it
	Title  string
	Status int // 0 for 200
	Data   any
	Live   bool // it is loaded again every few seconds

	Setting messages.Change // the setting that would change what the page says
	Untried string          // why the page cannot be fetched now
	Unread  string          // of how many pages it is known where they link, "" if of all

	Query string // what stands in the search field
	frame
}

// frame is what stands around each view.
type frame struct {
	Origin, Root, Folder, Sheet, Icon, JSON, CSV, Token string
	Now                                                 time.Time
	ReportOnly                                          bool
}

// makers make the views, by the last element of the path.
var makers = map[string]func(*Inspector, context.Context, url.Values) (view, error){
	"": (*Inspector).overview, "page": (*Inspector).page, "pages": (*Inspector).pages, "changes": (*Inspector).changes,
	"files":    (*Inspector).files,
	"crawlers": (*Inspector).crawlers, "links": (*Inspector).links,
}

func (i *Inspector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	guardHeaders(w.Header())
	name := r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]
	switch maker, as := find(name); {
	case name == "forget" || name == "try":
		i.post(w, r, name == "try")
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "the inspector is read with GET or HEAD", http.StatusMethodNotAllowed)
	case name == sheetName:
		serveLasting(w, "text/css; charset=utf-8", css)
	case name == iconName:
		serveLasting(w, "image/svg+xml", icon)
	case name == "" && !endsInSlash(r):
		enter(w, r)
	case maker != nil:
		i.serve(w, r, maker, as)
	case strings.HasSuffix(name, ".xml"):
		w.Header().Set("Content-Type", "text/xml; charset=utf-8")
		if !i.Files.WriteTo(w, name) {
			i.write(w, nowhere)
		}
	case !strings.Contains(name, ".") && !belowSlash(r):
		enter(w, r)
	default:
		i.write(w, nowhere)
	}
}

// nowhere stands in place of a view that the inspector does not have.
var nowhere = view{
	Name: "problem", Title: "Nothing is here", Status: http.StatusNotFound,
	Data: Problem{"The inspector has no view of that name."},
}

// find returns the maker of the view with a name, and the format that the name asks for: "json", "csv", or "" for a
// page.
func find(name string) (maker func(*Inspector, context.Context, url.Values) (view, error), as string) {
	base, as, _ := strings.Cut(name, ".")
	switch {
	case as == "json" && base == "stats":
		base = ""
	case as == "json" && base == "", as == "csv" && base != "pages" && base != "links",
		as != "" && as != "json" && as != "csv", name == "stats":
		return nil, as
	}
	return makers[base], as
}

// Names reports whether a view has that name.
func Names(name string) bool {
	maker, _ := find(name)
	return maker != nil
}

// guardHeaders protects the pages: nobody stores, frames or indexes them, they run nothing else,
// and they tell no other site their address.
func guardHeaders(h http.Header) {
	h.Set("Cache-Control", "no-store")
	h.Set("X-Robots-Tag", "noindex, nofollow")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Content-Security-Policy", policy)
}

// serveLasting sends what never changes under its name.
func serveLasting(w http.ResponseWriter, contentType string, b []byte) {
	w.Header().Set("Cache-Control", "private, max-age=31536000, immutable")
	w.Header().Set("Content-Type", contentType)
	_, _ = w.Write(b)
}

// endsInSlash reports whether the path in the client's own address ends in a slash.
// Otherwise relative links would lead elsewhere. The request's target still has what
// http.StripPrefix cuts off.
func endsInSlash(r *http.Request) bool {
	target, _, _ := strings.Cut(r.RequestURI, "?")
	return target == "" || strings.HasSuffix(target, "/")
}

// belowSlash reports whether the router got here by a path that ends in a slash, so that
// the client's address cannot be that of the inspector without its slash.
func belowSlash(r *http.Request) bool {
	// in gorilla/mux, Enter has done this already
	return strings.Count(r.Pattern, "/") > 1 && strings.HasSuffix(r.Pattern, "/") || mux.CurrentRoute(r) != nil
}

// Enter sends whoever asks gorilla/mux for the route of an Inspector without its slash to the one with it, and
// reports whether it did. http.ServeMux does that by itself.
func Enter(w http.ResponseWriter, r *http.Request) bool {
	route := mux.CurrentRoute(r)
	if route == nil {
		return false
	}
	template, _ := route.GetPathTemplate()
	if template != r.URL.Path || strings.HasSuffix(template, "/") {
		return false
	}
	enter(w, r)
	return true
}

// Narrow says what to write in place of a route that brings only one address of an Inspector here, "" if it brings all.
// inner is the handler of the site, nil if it is not known.
func Narrow(r *http.Request, inner *http.Handler) string {
	if route := mux.CurrentRoute(r); route != nil {
		return oneAddress(route)
	}
	if inner == nil || r.Pattern == "" || strings.HasSuffix(r.Pattern, "/") || strings.HasSuffix(r.Pattern, "...}") {
		return ""
	}
	own, is := (*inner).(*http.ServeMux)
	if !is { // the pattern is that of another router, such as chi
		return ""
	}
	below := r.URL.JoinPath("/")
	if _, by := own.Handler(&http.Request{Method: http.MethodGet, Host: r.Host, URL: below}); strings.HasSuffix(by,
		r.URL.Path+"/") {
		return ""
	}
	return fmt.Sprintf("in http.ServeMux, %q is one address, and the inspector has several; write mux.Handle(%q, "+
		"site.Inspector(...))", r.Pattern, r.URL.Path+"/")
}

// oneAddress says what to write in place of a gorilla/mux route that matches one address only, as r.Handle makes it, ""
// for any other route.
func oneAddress(route *mux.Route) string {
	prefix, _ := route.GetPathTemplate()
	if pattern, err := route.GetPathRegexp(); err != nil || !strings.HasSuffix(pattern, "$") {
		return ""
	}
	return fmt.Sprintf("in gorilla/mux, Handle(%q, ...) is for that one address, and the inspector has several; "+
		"write r.PathPrefix(%q).Handler(site.Inspector(...)), before site.Mount(r)", prefix,
		cmp.Or(strings.TrimSuffix(prefix, "/"), "/"))
}

// Bound keeps a gorilla/mux route of an Inspector from its neighbours: the prefix "/inspect" is that of the site's own
// "/inspection", too. It panics if the route has one address only.
func Bound(route *mux.Route) {
	if fix := oneAddress(route); fix != "" {
		panic("servemap: Mount: " + fix)
	}
	prefix, _ := route.GetPathTemplate()
	route.MatcherFunc(func(r *http.Request, _ *mux.RouteMatch) bool {
		rest, found := strings.CutPrefix(r.URL.Path, prefix)
		return !found || rest == "" || rest[0] == '/' || strings.HasSuffix(prefix, "/")
	})
}

// Taken says which route of a router takes the requests for an Inspector before its own, "" if none does.
func Taken(r *mux.Router, own *mux.Route, origin location.Origin) string {
	path, _ := own.GetPathTemplate()
	path = strings.TrimSuffix(path, "/") + "/"
	to, err := http.NewRequest(http.MethodGet, origin.URL(path), nil)
	if err != nil || !own.Match(to, new(mux.RouteMatch)) {
		return "" // it matches by more than the path
	}
	var by mux.RouteMatch
	if !r.Match(to, &by) || by.Route == nil || by.Route == own {
		return ""
	}
	if _, is := by.Route.GetHandler().(*mux.Router); is {
		return "" // a subrouter, which may have the inspector's route
	}
	other, _ := by.Route.GetPathTemplate()
	return fmt.Sprintf("an earlier route, for %s, takes the requests for %s; set the inspector's route before that one",
		cmp.Or(other, "any path"), path)
}

// enter sends the client to the same address with a slash at its end. Its query may have the key.
func enter(w http.ResponseWriter, r *http.Request) {
	guardHeaders(w.Header())
	target, query, asks := strings.Cut(r.RequestURI, "?")
	last := target[strings.LastIndexByte(target, '/')+1:] + "/"
	if asks {
		last += "?" + query
	}
	w.Header().Set("Location", "./"+last)
	w.WriteHeader(http.StatusMovedPermanently)
}

func (i *Inspector) serve(w http.ResponseWriter, r *http.Request, maker func(*Inspector, context.Context,
	url.Values) (view, error), as string) {
	ctx, cancel := context.WithTimeout(r.Context(), patience)
	defer cancel()
	v, err := maker(i, ctx, r.URL.Query())
	var to redirect
	switch {
	case errors.As(err, &to):
		if as != "" {
			to = redirect(strings.Replace(string(to), "?", ".json?", 1))
		}
		w.Header().Set("Location", string(to))
		w.WriteHeader(http.StatusSeeOther)
		return
	case err != nil:
		v = failed(err)
	}
	i.answer(w, r, v, as)
}

// answer sends a view in a format.
func (i *Inspector) answer(w http.ResponseWriter, r *http.Request, v view, as string) {
	query := r.URL.Query()
	rows, isTable := v.Data.(interface{ table() [][]string })
	if as == "csv" && isTable {
		w.Header().Set("Content-Type", "text/csv; charset=utf-8")
		w.Header().Set("Content-Disposition", `attachment; filename="`+v.Name+`.csv"`)
		_ = csv.NewWriter(w).WriteAll(rows.table()) // the client may have left
		return
	}
	if as != "" {
		writeJSON(w, v)
		return
	}
	if v.JSON = jsonOf(r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:], query); isTable {
		v.CSV = strings.Replace(v.JSON, ".json", ".csv", 1)
	}
	v.Query = cmp.Or(v.Query, query.Get("q"), query.Get("u"))
	i.write(w, v)
}

// redirect is an error that names the view to show instead, by its relative address.
type redirect string

func (r redirect) Error() string { return "see " + string(r) }

// refusal is the error of a question that cannot be answered, as opposed to one of the store.
type refusal struct{ error }

// Problem replaces a view that could not be made.
type Problem struct {
	Error string `json:"error"`
}

func failed(err error) view {
	text := messages.Trouble(err)
	var r refusal
	if errors.As(err, &r) {
		return view{Name: "problem", Title: "Check the address you asked for", Status: http.StatusBadRequest,
			Data: Problem{upper(text)}}
	}
	if errors.Is(err, context.DeadlineExceeded) {
		text = fmt.Sprintf("the store did not answer within %v", patience)
	}
	return view{Name: "problem", Title: "The store cannot be used now", Status: http.StatusServiceUnavailable,
		Data: Problem{text}}
}

// jsonOf returns the relative address of a view's JSON, "" if it has none.
func jsonOf(name string, query url.Values) string {
	switch name {
	case "forget", "try":
		return ""
	case "":
		name = "stats"
	}
	if len(query) == 0 {
		return name + ".json"
	}
	return name + ".json?" + query.Encode()
}

func writeJSON(w http.ResponseWriter, v view) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	if v.Status != 0 {
		w.WriteHeader(v.Status)
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	_ = enc.Encode(listed(v.Data)) // the client may have left
}

// listed returns data whose lists are [] in JSON where they are empty, and not null.
func listed(data any) any {
	of := reflect.ValueOf(data)
	if of.Kind() != reflect.Struct {
		return data
	}
	v := reflect.New(of.Type()).Elem()
	v.Set(of)
	for field, list := range v.Fields() {
		some := list
		if list.Kind() == reflect.Interface {
			some = list.Elem()
		}
		if field.IsExported() && some.Kind() == reflect.Slice && some.IsNil() {
			list.Set(reflect.MakeSlice(some.Type(), 0, 0))
		}
	}
	return v.Interface()
}

// write renders a page into memory first, so that it never sends half a page.
func (i *Inspector) write(w http.ResponseWriter, v view) {
	v.Origin, v.Root, v.Folder, v.Sheet, v.Icon, v.Token, v.Now = i.Origin.String(), i.root(), i.Origin.Folder(),
		sheetName, iconName, i.token, time.Now()
	v.ReportOnly = i.ReportOnly
	var b bytes.Buffer
	if err := templates()[v.Name].ExecuteTemplate(&b, "layout.html", v); err != nil {
		http.Error(w, "the page could not be made: "+err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if v.Live {
		w.Header().Set("Refresh", "3")
	}
	if v.Status != 0 {
		w.WriteHeader(v.Status)
	}
	_, _ = w.Write(markNames(b.Bytes()))
}

// named matches a tag, or the name of a setting as the texts have it.
var named = regexp.MustCompile("<[^>]*>|`[a-z-]+`")

// markNames marks the names of settings in a page as code.
func markNames(page []byte) []byte {
	return named.ReplaceAllFunc(page, func(part []byte) []byte {
		if part[0] == '<' {
			return part
		}
		return []byte("<code>" + string(part[1:len(part)-1]) + "</code>")
	})
}
