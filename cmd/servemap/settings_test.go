package main

import (
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/servemap/servemap/cmd/servemap/internal/settings"
	"github.com/servemap/servemap/internal/testkit/base"
)

func TestOneFlagMayHaveSeveralValues(t *testing.T) {
	for _, tt := range []struct {
		name string
		args []string
		of   func(*settings.Settings) []string
		want []string
	}{
		{"names", []string{"-query", "a,b", "-query", "c"}, func(s *settings.Settings) []string { return s.Query }, []string{"a", "b", "c"}},
		{"patterns", []string{"-never", "/a/,*.pdf$"}, func(s *settings.Settings) []string { return s.Never }, []string{"/a/", "*.pdf$"}},
		{"a path with a comma", []string{"-entry", "/a,b"}, func(s *settings.Settings) []string { return s.Entries }, []string{"/a,b"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var s settings.Settings
			fs := flag.NewFlagSet("", flag.ContinueOnError)
			s.Flags(fs, func(string, string) bool { return true })
			base.Check(t, fs.Parse(tt.args))
			if got := tt.of(&s); !slices.Equal(got, tt.want) {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

// TestPrintedSettingsAreReadAgain also sets each default.
func TestPrintedSettingsAreReadAgain(t *testing.T) {
	file := write(t, "origin = 'https://example.com'\nquery = ['id']\nkeep-for = '48h'\nadmin-password = 'a secret'\n[[site]]\n[[site.rule]]\npattern = '/a'\npriority = 0.5\n")
	read, err := readFile(file)
	base.Check(t, err)
	text := must(t, "config", "-config", file)
	if strings.Contains(text, "a secret") {
		t.Error(text)
	}
	again, err := readFile(write(t, text))
	base.Check(t, err)
	read[0].Password, again[0].Password = "", ""
	empty := func(s *settings.Settings) { // a list that is printed is empty, and not nil
		s.Each(func(_ string, _ reflect.StructField, v reflect.Value) {
			if v.Kind() == reflect.Slice && v.Len() == 0 {
				v.SetZero()
			}
		})
		s.Rules[0].Query = nil
	}
	empty(read[0])
	empty(again[0])
	if !reflect.DeepEqual(read, again) || read[0].Host != "origin" || read[0].Rules[0].Priority != 0.5 {
		t.Errorf("%+v\n%+v", read[0], again[0])
	}
}

func TestSiteOfAFileMaySayOtherwise(t *testing.T) {
	sites, err := readFile(write(t, "explore = true\nrobots = true\nnever = ['/a']\nmax = 5\n[[site]]\nexplore = false\nnever = []\n[[site]]\nmax = 7\n"))
	base.Check(t, err)
	if a, b := sites[0], sites[1]; a.Explore || !a.Robots || len(a.Never) > 0 || a.Max != 5 || !b.Explore || len(b.Never) != 1 || b.Max != 7 {
		t.Errorf("%+v\n%+v", a, b)
	}
}

func write(t *testing.T, text string) (file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "servemap.toml")
	base.Check(t, os.WriteFile(file, []byte(text), 0o600))
	return file
}

func TestWrongFilesNameTheLine(t *testing.T) {
	site := "[[site]]\norigin = 'https://a.example'\nfolder = '.'\ndata = '.data-a'\nlisten = '127.0.0.1:0'\n"
	for _, tt := range []struct{ name, text, want string }{
		{"an unknown key", site + "benin = ['x']\n", `toml:6: there is no setting "benin"; did you mean benign?; "servemap config" prints all of them`},
		{"an unknown table", site + "[limits]\nx = 1\n", `toml:6: there is no setting "limits"`},
		{"a number for a text", "origin = 1\n", `toml:1: origin takes a text in quotes, as origin = "a"`},
		{"a text for a list", site + "public = '/'\n", `toml:6: public takes a list, as public = ["/"]`},
		{"a number for a list", site + "query = 1\n", `toml:6: query takes a list, as query = ["a"]`},
		{"a text for a switch", "explore = 'yes'\n", "toml:1: explore takes true or false"},
		{"a text for a number", "max = 'many'\n", "toml:1: max takes a number"},
		{"a number for a rule's text", "[[site.rule]]\npattern = 3\n", "toml:2: pattern takes a text"},
		{"a number for the rules", "rule = 3\n", "toml:1: rules stand in tables"},
		{"no TOML", "origin\n", "toml:1: "},
		{"a time without a unit", "\nkeep-for = '5'\n", "such as 30s"},
		{"a time that is a bare number", site + "keep-for = 5\n", "such as 30s"},
		{"a wrong rule", site + "[[site.rule]]\npattern = '/a'\nlist = 'maybe'\n", `the list "maybe"`},
		{"one folder for two, written otherwise", site + strings.NewReplacer("//a.", "//b.", ".data-a", "./x/../.data-a/").Replace(site), "it has the same data ./x/../.data-a/ as site 1"},
		{"one folder for two", site + strings.ReplaceAll(site, "//a.", "//b."), "site 2, https://b.example: it has the same data .data-a as site 1, https://a.example; give each its own"},
		{"the second of two", site + "[[site]]\norigin = 'https://b.example'\ndata = 'b'\nlisten = '127.0.0.1:0'\n", `site 2, https://b.example: to is missing; give the address where the site itself listens, such as to = "http://localhost:3000"`},
		{"a password without an address", site + "admin-password = 'x'\n", "admin-password needs admin"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			if code, _, errs := call(t, "run", "-config", write(t, tt.text)); code != codeUsage || !strings.Contains(errs, tt.want) {
				t.Errorf("code %d, %s; want %s", code, errs, tt.want)
			}
		})
	}
}
