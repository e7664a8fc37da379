package main

import (
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/servemap/servemap/cmd/servemap/internal/control"
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
		{"names", []string{"-query", "a,b", "-query", "c"}, func(s *settings.Settings) []string { return s.Query },
			[]string{"a", "b", "c"}},
		{"patterns", []string{"-never", "/a/,*.pdf$"}, func(s *settings.Settings) []string { return s.Never },
			[]string{"/a/", "*.pdf$"}},
		{"a path with a comma", []string{"-entry", "/a,b"}, func(s *settings.Settings) []string { return s.Entries },
			[]string{"/a,b"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var s settings.Settings
			fs := flag.NewFlagSet("", flag.ContinueOnError)
			s.Flags(fs, "proxy")
			base.Check(t, fs.Parse(tt.args))
			if got := tt.of(&s); !slices.Equal(got, tt.want) {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

// TestPrintedSettingsAreReadAgain also sets each default.
func TestPrintedSettingsAreReadAgain(t *testing.T) {
	t.Chdir(t.TempDir())
	file := write(t, "origin = 'https://example.com'\nadmin = 'localhost:9090'\nquery = ['id']\nkeep-for = '1.5d'\nadmin-password = 'a "+
		"secret'\n[[site]]\n[[site.rule]]\npattern = '/a'\npriority = 0.5\n")
	read, err := readFile(file)
	base.Check(t, err)
	code, text, _ := call(t, "config", "-config", file)
	if code != codeUsage || strings.Contains(text, "a secret") || !strings.Contains(text, "\nlog-level = 'info'\n") {
		t.Error(text)
	}
	again, err := readFile(write(t, text))
	base.Check(t, err)
	read[0].Password, again[0].Password = "", ""
	empty := func(s *settings.Settings) { // a list that is printed is empty, and not nil
		for _, x := range s.All() {
			if x.Type.Kind() == reflect.Slice && x.Value.Len() == 0 {
				x.Value.SetZero()
			}
		}
		s.Rules[0].Query = nil
	}
	empty(read[0])
	empty(again[0])
	if !reflect.DeepEqual(read, again) || read[0].Host != "origin" || read[0].Rules[0].Priority != 0.5 {
		t.Errorf("%+v\n%+v", read[0], again[0])
	}
}

// TestRunServesWhatCommandsWrote takes the settings that a command leaves in the folder of the data, and what config
// prints.
func TestRunServesWhatCommandsWrote(t *testing.T) {
	site, behind := writeSite(t), base.Serve(t, blog)
	for _, tt := range []struct {
		name string
		args func(data string) []string
	}{
		{"files", func(string) []string {
			return []string{"files", site, "-origin", origin, "-keep-for", "60d", "-never", "/a,b"}
		}},
		{"proxy", func(string) []string {
			return []string{"proxy", "-to", behind, "-origin", origin, "-timeout", "90s"}
		}},
		{"run", func(data string) []string {
			return []string{"run", "-config", write(t, "[[site]]\nfolder = '"+site+"'\ndata = '"+data+
				"'\nlisten = '127.0.0.1:0'\nentry = ['/a.html']\n[[site.rule]]\npattern = '/a'\npriority = 0.5\n")}
		}},
		{"config", func(data string) []string {
			text := regexp.MustCompile(`(?m)^# (\[\[site.rule]]|[a-z-]+ = )`).ReplaceAllString(must(t, "config"), "$1")
			for _, line := range []string{"origin = '" + origin + "'", "folder = '" + site + "'", "data = '" + data + "'",
				"listen = '127.0.0.1:0'", "inside = true"} {
				key, _, _ := strings.Cut(line, "=")
				text = regexp.MustCompile(`(?m)^`+key+"=.*$").ReplaceAllString(text, line)
			}
			return []string{"run", "-config", write(t, text)}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			data := t.TempDir()
			s := serve(t, data, tt.args(data)...)
			s.log.Await(t, "commands are answered")
			s.stop()
			left, err := readFile(control.Settings(data))
			base.Check(t, err)
			if tt.name == "config" && (len(left[0].Rules) != 1 || left[0].Rules[0].Section != "sale") {
				t.Errorf("the rule that it shows is read as %+v", left[0].Rules)
			}
			printed := write(t, must(t, "config", "-config", control.Settings(data)))
			again, err := readFile(printed)
			base.Check(t, err)
			if !reflect.DeepEqual(left, again) {
				t.Errorf("%+v\nis printed as\n%+v", left[0], again[0])
			}
			serve(t, data, "run", "-config", printed)
		})
	}
}

func TestSiteOfAFileMaySayOtherwise(t *testing.T) {
	sites, err := readFile(write(t, "explore = true\nrobots = true\nnever = ['/a']\nmax = 5\n[[site]]\nexplore = "+
		"false\nnever = []\n[[site]]\nmax = 7\n"))
	base.Check(t, err)
	if a, b := sites[0], sites[1]; a.Explore || !a.Robots || len(a.Never) > 0 || a.Max != 5 || !b.Explore ||
		len(b.Never) != 1 || b.Max != 7 {
		t.Errorf("%+v\n%+v", a, b)
	}
}

// TestListsOfAFileAreReadAsFlags has commas in a text, where a person who knows the flags writes them.
func TestListsOfAFileAreReadAsFlags(t *testing.T) {
	for _, site := range []string{"", "[[site]]\nmax = 5\n"} { // above, and of a site that says nothing of it
		read, err := readFile(write(t, "never = ['/a,/b,c', '*.pdf$', '/map/*,*']\nsitemap = ['/map.php?a=1,2']\nquery = ['id,s', 'year']\nbenign = ['a, b']\n"+site))
		base.Check(t, err)
		if s := read[0]; !slices.Equal(s.Never, []string{"/a", "/b,c", "*.pdf$", "/map/*,*"}) ||
			!slices.Equal(s.Sitemaps, []string{"/map.php?a=1,2"}) ||
			!slices.Equal(s.Query, []string{"id", "s", "year"}) || !slices.Equal(s.Benign, []string{"a", "b"}) {
			t.Errorf("%q %q %q", s.Never, s.Query, s.Benign)
		}
	}
	read, err := readFile(write(t, "[[site.rule]]\npattern = '/a'\nquery = ['id,s']\n"))
	if base.Check(t, err); !slices.Equal(read[0].Rules[0].Query, []string{"id", "s"}) {
		t.Errorf("%q", read[0].Rules[0].Query)
	}
}

func TestTableOfOneSiteMayHaveOneBracket(t *testing.T) {
	for _, site := range []string{"[site]\nexplore = false\n", "site = [{explore = false}]\n"} {
		sites, err := readFile(write(t, "explore = true\nrobots = true\n"+site))
		if base.Check(t, err); len(sites) != 1 || sites[0].Explore || !sites[0].Robots {
			t.Errorf("%s: %+v", site, sites[0])
		}
	}
}

func TestFileOfOneSiteNeedsNoTable(t *testing.T) {
	sites, err := readFile(write(t, "data = 'a'\nexplore = true\nmax = 5\n"))
	if base.Check(t, err); len(sites) != 1 || sites[0].Data != "a" || !sites[0].Explore || sites[0].Max != 5 {
		t.Errorf("%+v", sites[0])
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
		{"a key without a letter", site + "listn = ':80'\n", "toml:6: There is no setting listn. Did you mean listen?\n"},
		{"an unknown key", site + "benin = ['x']\n", "toml:6: There is no setting benin. Did you mean benign?\n"},
		{"an unknown table", site + "[limits]\nx = 1\n",
			`toml:6: There is no setting limits. "servemap config" prints all of them.`},
		{"two sites in one bracket each", "explore = true\n[site]\nmax = 1\n[site]\nmax = 2\n",
			"toml:2: site takes a line [[site]] with two brackets before each site"},
		{"the first of two sites in one bracket", "[site]\nmax = 1\n[[site]]\nmax = 2\n",
			"toml:1: site takes a line [[site]]"},
		{"the second of two sites in one bracket", site + "[site]\nmax = 2\n",
			"toml:6: site takes a line [[site]]"},
		{"two rules in one bracket each", site + "[site.rule]\npattern = '/a'\n[site.rule]\npattern = '/b'\n",
			"toml:6: rule takes a line [[site.rule]]"},
		{"a bracket that does not end", "[[site]\nmax = 2\n", "toml:1: site takes a line [[site]]"},
		{"a number for a text", "origin = 1\n", `toml:1: origin takes a text in quotes`},
		{"a text for a list", site + "public = '/'\n", `toml:6: public takes a list of texts in quotes, such as ["/"]`},
		{"a number for a list", site + "query = 1\n", `toml:6: query takes a list of texts in quotes, such as ["a"]`},
		{"a text for a switch", "explore = 'yes'\n", "toml:1: explore takes true or false"},
		{"a text for a number", "max = 'many'\n", "toml:1: max takes a number"},
		{"a number for a rule's text", "[[site.rule]]\npattern = 3\n", "toml:2: pattern takes a text"},
		{"a number for the rules", "rule = 3\n", "toml:1: rule takes a line [[site.rule]]"},
		{"a number for the sites", "site = 5\n", "toml:1: site takes a line [[site]]"},
		{"a number among the sites", "site = [5]\n", "toml:1: site takes a line [[site]]"},
		{"a table for a text", "[[site]]\norigin.a = 1\n", "toml:2: origin takes a text"},
		{"a table for a rule's text", "[[site.rule]]\nsection.a = 1\n", "toml:2: section takes a text"},
		{"no TOML", "origin\n", "toml:1: "},
		{"YAML", "site:\n  - max: 5\n", "the file is TOML, where a setting is written as max = 5"},
		{"two settings in a line", "public = ['/']; query = ['id']\n", "toml:1: another setting stands behind public; write one setting a line"},
		{"two switches in a line", site + "news = true, images = true\n", "toml:6: another setting stands behind news; write one setting a line"},
		{"a list without quotes", "public = [/]\n", `toml:1: public takes a list of texts in quotes, such as ["/"]`},
		{"an empty file", "# nothing\n", `toml says nothing; "servemap config" prints all settings`},
		{"a level that is none", "log-level = 'all'\n", "toml:1: log-level takes debug, info, warn or error"},
		{"a time without a unit", "\nkeep-for = '5'\n", "toml:2: keep-for takes a time with its unit, such as 30s or 90d"},
		{"a time that is a bare number", site + "keep-for = 5\n",
			"toml:6: keep-for takes a time with its unit, such as 30s or 90d"},
		{"a switch that is misspelt", site + "explore = ture\n", "toml:6: explore takes true or false"},
		{"a quote that does not end", site + "name = 'map\n", `toml:6: the quote behind name is not closed`},
		{"a quote that ends behind a quote", "origin = \"https://a.example\\\"\n",
			`toml:1: the quote behind origin is not closed`},
		{"a list that does not end", "public = ['/'\norigin = 'x'\n", "toml:2: the list above lacks its ], or a comma"},
		{"a setting that comes twice", "max = 1\nmax = 2\n", "toml:2: max stands in line 1 too; keep one of them"},
		{"a setting that comes twice in a site", site + "name = 'a'\n[[site.rule]]\npattern = '/a'\npattern = '/b'\n",
			"toml:9: pattern stands in line 8 too; keep one of them"},
		{"a rule's setting beside the site's", site + "priority = 0.5\n",
			"toml:6: priority belongs to a rule; write it below a line [[site.rule]] that has a pattern"},
		{"a site's setting in a rule", site + "[[site.rule]]\npattern = '/a'\nexplore = true\n",
			"toml:8: explore belongs to the site; write it above the site's first [[site.rule]]"},
		{"a number below 0", "max = 5\n" + site + "max = -1\n", "toml:7: `max` takes a number above 0"},
		{"0 in place of a default", "concurrency = 0\n" + site, "toml:1: `concurrency` takes a number above 0"},
		{"0, and nothing else", "max = 0\n", "toml:1: `max` takes a number above 0"},
		{"a switch that is off, and nothing else", "explore = false\n", "toml: `to` and `data` are missing"},
		{"a parameter with a value", "query = ['p=5']\n" + site,
			"toml:1: `query`: \"p=5\" is not the name of a parameter, such as \"p\"; name each alone"},
		{"a pattern with a space", site + "never = ['/a', '/b c']\n", "toml:6: `never` /b c: must be written as in a URL"},
		{"a rule with a wrong priority", site +
			"[[site.rule]]\npattern = '/a'\nsection = 'a'\n[[site.rule]]\npattern = '/b'\npriority = 3\n",
			"toml:11: `rule` /b: has the priority 3"},
		{"a start page in place of a server", "to = 'http://localhost/index.php'\n" + strings.Replace(site, "folder", "#", 1),
			"is a page; give where the site listens, such as http://localhost"},
		{"a wrong rule before one whose pattern goes on", site + "[[site.rule]]\npattern = '/a'\npriority = 3\n" +
			"[[site.rule]]\npattern = '/about'\n", "toml:8: `rule` /a: has the priority 3"},
		{"a wrong rule whose pattern has a space", site + "[[site.rule]]\npattern = '/b'\npriority = 0.5\n" +
			"[[site.rule]]\npattern = '/b c'\npriority = 0.5\n",
			"toml:10: `rule` /b c: must be written"},
		{"a limit below its least", site + "keep-for = '10m'\n", "toml:6: `keep-for` is 10m0s; it must be at least 1h"},
		{"a folder and an address", site + "to = 'http://localhost:3000'\n", "toml:3: `folder` and `to` are both given"},
		{"a server that is none", "[[site]]\norigin = 'https://a.example'\ndata = '.data-a'\nlisten = '127.0.0.1:0'\nto = " +
			"'ftp://a'\n", "toml:5: `to`: \"ftp://a\" is no address of a server"},
		{"a form of the log that is none", "log = 'xml'\n" + site, "toml:1: `log` xml: give people, text or json"},
		{"a wrong rule", site + "[[site.rule]]\npattern = '/a'\nlist = 'maybe'\n", `the list "maybe"`},
		{"two patterns in a rule", site + "[[site.rule]]\npattern = '/a,/b'\nlist = 'never'\n",
			"toml:7: `rule` /a,/b: these are several patterns; write a rule for each"},
		{"one folder for two, written otherwise", site + strings.NewReplacer("//a.", "//b.", ".data-a",
			"./x/../.data-a/").Replace(site), "it has the same `data` ./x/../.data-a/ as site 1"},
		{"one folder for two", site + strings.ReplaceAll(site, "//a.", "//b."),
			"site 2, https://b.example: it has the same `data` .data-a as site 1, https://a.example; give each its own"},
		{"the second of two", site + "[[site]]\norigin = 'https://b.example'\ndata = 'b'\nlisten = '127.0.0.1:0'\n",
			"site 2, https://b.example: `to` is missing; give the address where the site itself listens, such as to = " +
				"\"http://localhost:3000\""},
		{"the second of two, whose rule is wrong", site + "[[site]]\norigin = 'https://b.example'\nfolder = '.'\ndata = " +
			"'.data-b'\nlisten = '127.0.0.1:0'\n[[site.rule]]\npattern = '/a'\n", "toml:12: site 2, https://b.example: `rule` /a"},
		{"a wrong key for IndexNow", site + "indexnow = true\nindexnow-key = 'x'\n", "SERVEMAP_INDEXNOW_KEY must have 8"},
		{"an address that is none", "[[site]]\norigin = 'https://a.example'\nfolder = '.'\ndata = '.data-a'\nadmin = 'nonsense'\n" +
			"listen = '127.0.0.1:0'\n", "`admin` nonsense: missing port in address"},
		{"one address for visitors and the inspector", "[[site]]\norigin = 'https://a.example'\nfolder = '.'\ndata = '.data-a'\n" +
			"admin = '127.0.0.1:47311'\nlisten = '127.0.0.1:47311'\n", "`admin` 127.0.0.1:47311 is an address where this process"},
		{"a password without an address", site + "admin-password = 'x'\n", "`admin-password` needs `admin`"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			for _, command := range []string{"run", "config"} {
				file := write(t, tt.text)
				code, says, errs := call(t, command, "-config", file)
				if _, wrong := readFile(file); command == "config" && (wrong == nil) != strings.Contains(says, "\n") {
					t.Errorf("config prints %q of a file that is read with %v", says, wrong)
				}
				if code != codeUsage || !strings.Contains(errs, tt.want) || !strings.HasPrefix(errs, "servemap "+command+": ") {
					t.Errorf("%s: code %d, %s, want %s, and nothing that was done before", command, code, errs, tt.want)
				}
			}
		})
	}
}
