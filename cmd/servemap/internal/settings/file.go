package settings

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"sort"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/servemap/servemap/internal/page/words"
)

// sites are what a file says: of all sites, and of each.
type sites struct {
	Settings
	Sites []*Settings `toml:"site"`
}

// Read reads the sites of a file. What the file says before its first site holds for each site that
// does not say otherwise. An error names the line.
func Read(name string, text []byte) ([]*Settings, error) {
	var file sites
	if err := toml.NewDecoder(bytes.NewReader(text)).DisallowUnknownFields().Decode(&file); err != nil {
		return nil, fmt.Errorf("%s%w", name, faulty(text, err))
	}
	var all map[string]any
	var each struct{ Site []map[string]any }
	err := errors.Join(toml.Unmarshal(text, &all), toml.Unmarshal(text, &each))
	if len(all) == 0 {
		return nil, fmt.Errorf("%s says nothing; \"servemap config\" prints all settings", name)
	}
	if len(file.Sites) == 0 {
		file.Sites, each.Site = []*Settings{{}}, make([]map[string]any, 1)
	}
	above := file.All()
	for i, s := range file.Sites {
		said := each.Site[i]
		for j, x := range s.All() {
			if said[x.Key] == nil { // a site may say false
				x.Value.Set(above[j].Value)
			}
			x.split()
			n, number := x.Value.Interface().(int)
			if given := cmp.Or(said[x.Key], all[x.Key]) != nil; number && given && (n < 0 || n == 0 && x.String() != "") {
				err := wrong("{-" + x.Key + "} takes " + takes[x.Type])
				return nil, fmt.Errorf("%s: %w", Place(name, text, i, err), err)
			}
		}
		s.Fill()
		if s.Folder != "" && err == nil {
			s.Folder, err = filepath.Abs(s.Folder)
		}
	}
	return file.Sites, err
}

// begins matches a line that begins a table.
var begins = regexp.MustCompile(`^\s*\[+([a-z.]+)`)

// unclosed matches a line of one text whose quote does not end.
var unclosed = regexp.MustCompile(`^[^=#]*=\s*("(?:[^"\\]|\\.)*|'[^']*)$`)

// faulty says what is wrong with a text, after the name of its file. On a line that says a setting, that is what the
// setting takes.
func faulty(text []byte, err error) error {
	var unknown *toml.StrictMissingError
	var bad *toml.DecodeError
	if errors.As(err, &unknown) {
		bad = &unknown.Errors[0]
	} else if !errors.As(err, &bad) { // the error of a value, which does not know its line
		bad = new(toml.DecodeError)
	}
	line, column := bad.Position()
	if line == 0 {
		line, column = lineOf(text, err), len(text)
	}
	keys, types := bad.Key(), map[string]reflect.Type{}
	for _, t := range []reflect.Type{reflect.TypeFor[rule](), reflect.TypeFor[sites]()} {
		for _, f := range reflect.VisibleFields(t) {
			types[keyOf(f)] = f.Type
		}
	}
	for unknown == nil && len(keys) > 1 && types[keys[len(keys)-1]] == nil {
		keys = keys[:len(keys)-1] // such as a in origin.a = 1
	}
	key, lines := strings.Join(keys[max(0, len(keys)-1):], ""), strings.Split(string(text), "\n")
	table, already := begins.FindStringSubmatch(lines[line-1]), strings.Contains(bad.Error(), "already")
	switch name, _, is := strings.Cut(lines[line-1], "="); {
	case unknown == nil && table != nil: // as the second [site]
		key, already = table[1][strings.LastIndexByte(table[1], '.')+1:], false
		single := func(l string) bool { return strings.HasPrefix(strings.TrimSpace(l), "["+table[1]+"]") }
		if first := slices.IndexFunc(lines, single); first >= 0 {
			line = first + 1
		}
	case key == "" && is && column > len(name)+1: // no TOML, such as ture
		key = strings.TrimSpace(name)
	}
	switch {
	case unknown != nil:
		return fmt.Errorf(":%d: %s", line, unfit(key, lines[:line], slices.Sorted(maps.Keys(types))))
	case unclosed.MatchString(lines[line-1]):
		return fmt.Errorf(":%d: the quote behind %s is not closed", line, key)
	case strings.Contains(bad.Error(), "expected newline") && strings.Contains(lines[line-1][max(0, column-1):], "="):
		return fmt.Errorf(":%d: another setting stands behind %s; write one setting a line", line, key)
	case takes[types[key]] != "" && !already:
		return fmt.Errorf(":%d: %s takes %s", line, key, takes[types[key]])
	}
	if first := said(lines[:line-1], lines[line-1]); already && first > 0 {
		return fmt.Errorf(":%d: %s stands in line %d too; keep one of them", line, key, first)
	}
	form := ""
	if key == "" && table == nil && !strings.Contains(lines[line-1], "=") { // such as a line of YAML
		form = "; the file is TOML, where a setting is written as max = 5"
	}
	why := strings.Replace(strings.TrimPrefix(err.Error(), "toml: "), "expected ',' or ']' after array value",
		"the list above lacks its ], or a comma", 1)
	return fmt.Errorf(":%d: %s%s", line, why, form)
}

// unfit says of a setting that cannot stand on the last of these lines where it belongs, or which of the names was
// meant.
func unfit(key string, lines, names []string) string {
	has := func(t reflect.Type) bool {
		return slices.ContainsFunc(reflect.VisibleFields(t), func(f reflect.StructField) bool { return keyOf(f) == key })
	}
	table := ""
	for _, l := range lines {
		if m := begins.FindStringSubmatch(l); m != nil {
			table = m[1]
		}
	}
	rules := strings.HasSuffix(table, "rule")
	switch {
	case !rules && has(reflect.TypeFor[rule]()):
		return key + " belongs to a rule; write it below a line [[site.rule]] that has a pattern, such as pattern = \"/blog/\""
	case rules && has(reflect.TypeFor[sites]()):
		return key + " belongs to the site; write it above the site's first [[site.rule]]"
	}
	return "There is no setting " + key + ". " + Meant(key, names, `"servemap config" prints all of them.`)
}

// said returns the number of the line of the same table that says the setting of another line too, 0 for none.
func said(before []string, line string) int {
	key, _, _ := strings.Cut(line, "=")
	for i, l := range slices.Backward(before) {
		switch has, _, is := strings.Cut(l, "="); {
		case begins.MatchString(l):
			return 0
		case is && strings.TrimSpace(has) == strings.TrimSpace(key):
			return i + 1
		}
	}
	return 0
}

// lineOf returns the number of the line up to which a text cannot be read, and before which it can.
func lineOf(text []byte, err error) int {
	lines := strings.SplitAfter(string(text), "\n")
	return 1 + sort.Search(len(lines)-1, func(n int) bool {
		again := toml.Unmarshal([]byte(strings.Join(lines[:n+1], "")), new(sites))
		return again != nil && again.Error() == err.Error()
	})
}

// Place returns the name of a file and the line to look at for an error of the site with an index: that of the setting
// that the error begins with, maybe above the first site, or of the rule's pattern, or else where the site begins.
func Place(name string, text []byte, site int, err error) string {
	quoted := strings.SplitN(err.Error()+" ", "`", 3) // as package words names a setting of a file
	key, of, table, found := "", -1, "", 0
	if len(quoted) == 3 && quoted[0] == "" {
		key = quoted[1]
	}
	lines := strings.Split(string(text), "\n")
	for n, line := range lines {
		if m := begins.FindStringSubmatch(line); m != nil {
			if table = m[1]; table == "site" {
				of++
			}
			if found == 0 && of == site {
				found = n + 1
			}
		}
		var rule struct{ Pattern string } // if the line says one
		_ = toml.Unmarshal([]byte(line), &rule)
		switch said, _, is := strings.Cut(line, "="); {
		case !is || of >= 0 && of != site:
		case strings.TrimSpace(said) == key && (table == "" || table == "site"): // or below, in place of above
			found = n + 1
		case key == "rule" && rule.Pattern != "" && strings.HasPrefix(quoted[2], " "+rule.Pattern+": "):
			return fmt.Sprintf("%s:%d", name, 1+ruleLine(lines, n, quoted[2]))
		}
	}
	if found == 0 {
		return name
	}
	return fmt.Sprintf("%s:%d", name, found)
}

// ruleLine returns the index of the line of a rule, which has its pattern on line n, that says what an error is about.
func ruleLine(lines []string, n int, why string) int {
	first := n
	for first > 0 && !begins.MatchString(lines[first]) {
		first--
	}
	for i, line := range lines[first+1:] {
		if begins.MatchString(line) {
			break
		}
		if key, _, is := strings.Cut(line, "="); is && strings.Contains(why, ": has the "+strings.TrimSpace(key)+" ") {
			return first + 1 + i
		}
	}
	return n
}

// remark is a line of a file that says what a setting is for.
var remark = regexp.MustCompile(`(?m)^#.*$`)

// Write returns a file that says all of these settings, but for passwords and keys.
func Write(sites []*Settings) ([]byte, error) {
	text, err := toml.Marshal(map[string]any{"site": sites})
	return remark.ReplaceAllFunc(text, func(line []byte) []byte { return []byte(words.Say(string(line))) }), err
}

// Meant asks whether one of the names was meant: the shortest that begins with name, or else the nearest. Of several
// that are as near it takes the longest, since most people who mistype forget a letter. If no name is near, it returns
// other.
func Meant(name string, names []string, other string) string {
	begin := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return name == "" || !strings.HasPrefix(n, name) })
	if len(begin) > 0 {
		return "Did you mean " + slices.MinFunc(begin, func(a, b string) int { return len(a) - len(b) }) + "?"
	}
	longest := slices.SortedStableFunc(slices.Values(names), func(a, b string) int { return len(b) - len(a) })
	for edits := range 3 {
		for _, n := range longest {
			if 2*edits < len(strings.TrimLeft(name, "-")) && near(name, n, edits) {
				return "Did you mean " + n + "?"
			}
		}
	}
	return other
}

// near reports whether at most so many letters inserted, deleted or replaced turn a into b.
func near(a, b string, edits int) bool {
	switch {
	case a == "" || b == "":
		return len(a)+len(b) <= edits
	case a[0] == b[0]:
		return near(a[1:], b[1:], edits)
	}
	return edits > 0 && (near(a[1:], b, edits-1) || near(a, b[1:], edits-1) || near(a[1:], b[1:], edits-1))
}
