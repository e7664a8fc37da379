package leak_test

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/servemap/servemap/internal/testkit/base"
)

// marker is in everything of a private page besides its location: title, text, cookies, parameters.
// It must be found nowhere.
const marker = "qzkxvjwy"

// finder looks for many secrets at once, in all forms in which they may be written, in any case.
type finder struct {
	byEnd map[uint64][]secret
	seen  []uint64 // a filter over the ends
}

// secret is one form of a text that must not be found.
type secret struct {
	of   string // the text itself
	form string
	text []byte
}

// suffixBytes is how many bytes at the end of a secret are searched for. The database's tables
// leave out what a key shares with the key before it.
const suffixBytes = 14

const filterBits = 1 << 20

func newFinder(secrets ...string) *finder {
	f := &finder{byEnd: map[uint64][]secret{}, seen: make([]uint64, filterBits/64)}
	for _, s := range secrets {
		f.add(s)
	}
	return f
}

// add makes the finder look for s. It panics if s is too short to be told from noise.
func (f *finder) add(s string) {
	if len(s) < 8 {
		panic(fmt.Sprintf("%q is too short to be looked for", s))
	}
	all := ""
	for i := range len(s) {
		all += fmt.Sprintf("%%%02X", s[i])
	}
	forms := []struct{ name, text string }{
		{"as it is", s}, {"escaped", (&url.URL{Path: s}).EscapedPath()}, {"escaped as a query", url.QueryEscape(s)},
		{"fully escaped", all}, {"hex", hex.EncodeToString([]byte(s))},
	}
	for pad := range 3 {
		// The characters at both ends depend on the bytes before and after.
		enc := base64.RawStdEncoding.EncodeToString(append(make([]byte, pad), s...))
		forms = append(forms, struct{ name, text string }{"base64", enc[(pad*8+5)/6 : len(enc)-1]})
	}
	for _, form := range forms {
		folded := fold([]byte(form.text))
		folded = folded[max(0, len(folded)-suffixBytes):]
		end := binary.LittleEndian.Uint64(folded[len(folded)-8:])
		f.byEnd[end] = append(f.byEnd[end], secret{s, form.name, folded})
		i := filterIndex(end)
		f.seen[i/64] |= 1 << (i % 64)
	}
}

func filterIndex(end uint64) uint64 { return end * 0x9E3779B97F4A7C15 >> 44 }

func fold(b []byte) []byte {
	b = bytes.Clone(b)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c | 0x20
		}
	}
	return b
}

// find returns the secrets in data, each once, in the form in which they were found.
func (f *finder) find(data []byte) (found []secret) {
	data = fold(data)
	var end uint64
	for i, c := range data {
		end = end>>8 | uint64(c)<<56
		if j := filterIndex(end); f.seen[j/64]>>(j%64)&1 == 0 || i < 7 {
			continue
		}
		for _, s := range f.byEnd[end] {
			if bytes.HasSuffix(data[:i+1], s.text) && !slices.ContainsFunc(found, func(o secret) bool { return o.of == s.of }) {
				found = append(found, s)
			}
		}
	}
	return found
}

// leak is a form of a secret, and where it was found.
type leak struct{ where, of, form string }

// sweep looks for secrets everywhere a site may have left them: in what it serves, logs and
// answers, and in its files, open and closed. It closes the site and the store. listable are
// secrets that were public once: they may be stored, but not served.
func (w *world) sweep(all, listable *finder) (leaks []leak) {
	w.Helper()
	look := func(f *finder, where string, data []byte) {
		for _, s := range f.find(data) {
			leaks = append(leaks, leak{where, s.of, s.form})
		}
	}
	for name, data := range w.surfaces() {
		look(all, name, data)
		look(listable, name, data)
	}
	look(all, "the changes that the owner sees", w.shown("/changes")) // they name pages that have left
	for name, data := range files(w, w.dir) {
		look(all, "file "+name+", open", data)
		leaks = append(leaks, addresses(name, data)...)
	}
	for r, err := range w.store.Scan(w.Context(), "", "") {
		base.Check(w, err)
		look(all, "record", []byte(r.Key+" "+string(r.Value)))
	}
	w.Shut()
	if err := w.store.Close(); err != nil {
		w.Errorf("closing the store: %v", err)
	}
	for what, err := range map[string]error{"Flush": w.Flush(w.Context()), "Forget": w.Forget(w.Context(), "/")} {
		if err == nil {
			w.Errorf("%s after Close returned nil", what)
			continue
		}
		look(all, "error of "+what, []byte(err.Error()))
	}
	for name, data := range files(w, w.dir) {
		look(all, "file "+name+", closed", data)
		leaks = append(leaks, addresses(name, data)...)
	}
	look(all, "log", []byte(w.Logged.String()))
	leaks = append(leaks, addresses("log", []byte(w.Logged.String()))...)
	return leaks
}

// surfaces returns what the site shows to anybody, and to its owner if the owner asks about no page
// in particular.
func (w *world) surfaces() map[string][]byte {
	w.Helper()
	out := map[string][]byte{"before": w.before, "stats": fmt.Appendf(nil, "%+v", w.Stats())}
	for _, name := range []string{"/sitemap.xml", "/sitemap-1.xml", "/sitemap-2.xml", "/sitemap.xml.gz"} {
		status, body := w.do(w.client, w.request(0, http.MethodGet, name, nil))
		if strings.HasSuffix(name, ".gz") && status == http.StatusOK {
			body = gunzip(w, body)
		}
		out[name] = body
	}
	for p, err := range w.Pages(w.Context()) {
		base.Check(w, err)
		out["pages"] = fmt.Appendf(out["pages"], "%+v\n", p)
	}
	for _, view := range []string{"/", "/stats.json", "/pages", "/files", "/crawlers", "/pages?q=a"} {
		out["inspector: "+view] = w.shown(view)
	}
	rec := base.Ask(w.Metrics(everybody), http.MethodGet, "/")
	out["metrics"] = rec.Body.Bytes()
	return out
}

func everybody(*http.Request) bool { return true }

// shown returns a view of the inspector.
func (w *world) shown(view string) []byte {
	rec := base.Ask(w.Inspector(everybody), http.MethodGet, view)
	if rec.Code != http.StatusOK {
		w.Errorf("the inspector answers %s with %d: %s", view, rec.Code, rec.Body)
	}
	return rec.Body.Bytes()
}

func gunzip(t testing.TB, b []byte) []byte {
	t.Helper()
	zr, err := gzip.NewReader(bytes.NewReader(b))
	base.Check(t, err)
	out, err := io.ReadAll(zr)
	base.Check(t, err)
	return out
}

// files returns the contents of all files below dir.
func files(t testing.TB, dir string) map[string][]byte {
	t.Helper()
	contents := map[string][]byte{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		contents[strings.TrimPrefix(path, dir)] = b
		return err
	})
	base.Check(t, err)
	return contents
}

// fewChance is how many of the visitors' four-byte addresses a file may contain by chance. Each has
// a probability of one in some hundreds.
const fewChance = 2

// addresses looks for the visitors' addresses and networks.
func addresses(where string, data []byte) (leaks []leak) {
	chance := 0
	for n := range rounds {
		addr := visitor(n)
		raw := addr.AsSlice()
		for _, form := range []string{addr.String(), addr.StringExpanded(), network(addr)} {
			if bytes.Contains(data, []byte(form)) {
				leaks = append(leaks, leak{where, "a visitor's address", form})
			}
		}
		switch {
		case addr.Is6() && bytes.Contains(data, raw[:6]):
			leaks = append(leaks, leak{where, "a visitor's address", "the bytes of " + addr.String()})
		case addr.Is4() && bytes.Contains(data, raw):
			if chance++; chance > fewChance {
				leaks = append(leaks, leak{where, "a visitor's address", "the bytes of several"})
			}
		}
	}
	return leaks
}

// network returns, as text, the part of addr that names its network, without the prefix length.
func network(addr netip.Addr) string {
	if addr.Is4() {
		b := addr.As4()
		return fmt.Sprintf("%d.%d.%d.", b[0], b[1], b[2])
	}
	p, _ := addr.Prefix(48)
	return strings.TrimSuffix(p.Addr().String(), "::") + ":"
}

func TestFinderSeesATokenInEachSpelling(t *testing.T) {
	const token = "Velvet-Ötter-k3J9xQ"
	f := newFinder(token)
	for name, text := range map[string]string{
		"as it is":            "loc>https://example.com/" + token + "<",
		"upper case":          "..." + strings.ToUpper(token[:7]) + token[7:9] + strings.ToUpper(token[9:]),
		"escaped":             "/a/Velvet-%C3%96tter-k3J9xQ",
		"escaped, lower case": "/a/velvet-%c3%96tter-k3j9xq",
		"hex":                 "x" + hex.EncodeToString([]byte(token)),
		"base64":              base64.StdEncoding.EncodeToString([]byte("https://example.com/" + token + "!!")),
		"base64, shifted":     base64.StdEncoding.EncodeToString([]byte("ttps://example.com/" + token + "!")),
		"base64 for URLs":     base64.URLEncoding.EncodeToString([]byte("tps://example.com/" + token + "!")),
		"without its head":    "\x00\x03lvet-Ötter-k3J9xQ",
	} {
		if got := f.find([]byte(text)); len(got) != 1 {
			t.Errorf("%s: found %v in %q", name, got, text)
		}
	}
	for _, text := range []string{"", "Velvet", "Velvet-Ötter-k3J9xR", strings.Repeat("\x00", 100)} {
		if got := f.find([]byte(text)); len(got) != 0 {
			t.Errorf("found %v in %q", got, text)
		}
	}
}
