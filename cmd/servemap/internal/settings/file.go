package settings

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// Read reads the sites of a file. What the file says before its first site holds for each site that
// does not say otherwise. An error names the line.
func Read(name string, text []byte) ([]*Settings, error) {
	var file struct {
		Settings
		Sites []*Settings `toml:"site"`
	}
	err := toml.NewDecoder(bytes.NewReader(text)).DisallowUnknownFields().Decode(&file)
	var unknown *toml.StrictMissingError
	var bad *toml.DecodeError
	switch {
	case errors.As(err, &unknown):
		line, _ := unknown.Errors[0].Position()
		key := unknown.Errors[0].Key()
		return nil, fmt.Errorf("%s:%d: there is no setting %q%s; \"servemap config\" prints all of them", name, line, key[len(key)-1], Meant(key[len(key)-1], names()))
	case errors.As(err, &bad):
		line, _ := bad.Position()
		return nil, fmt.Errorf("%s:%d: %s; \"servemap config\" prints how each setting is written", name, line, cmp.Or(takes(bad), strings.TrimPrefix(bad.Error(), "toml: ")))
	case err != nil:
		return nil, fmt.Errorf("%s: %v", name, err)
	}
	if len(file.Sites) == 0 {
		file.Sites = []*Settings{{}}
	}
	var said struct {
		Sites []map[string]any `toml:"site"`
	}
	if err := toml.Unmarshal(text, &said); err != nil {
		return nil, fmt.Errorf("%s: %v", name, err)
	}
	above := map[string]reflect.Value{}
	file.Each(func(_ string, f reflect.StructField, v reflect.Value) { above[f.Name] = v })
	for i, s := range file.Sites {
		s.Each(func(_ string, f reflect.StructField, v reflect.Value) {
			key, _, _ := strings.Cut(f.Tag.Get("toml"), ",")
			if i >= len(said.Sites) || said.Sites[i][key] == nil { // a site may say false
				v.Set(above[f.Name])
			}
		})
		s.Fill()
		if s.Folder != "" {
			s.Folder, err = filepath.Abs(s.Folder)
		}
	}
	return file.Sites, err
}

// Write returns a file that says all of these settings, but for passwords and keys.
func Write(sites []*Settings) ([]byte, error) {
	shown := make([]Settings, len(sites))
	for i, s := range sites {
		shown[i] = *s
		shown[i].Each(func(_ string, _ reflect.StructField, v reflect.Value) {
			if v.Type() == reflect.TypeFor[secret]() {
				v.SetZero()
			}
		})
	}
	return toml.Marshal(struct {
		Sites []Settings `toml:"site"`
	}{shown})
}

// InKeys returns a text that names flags in the words of a file. SHELL and GO are as in package messages.
func InKeys(text string) string {
	flag := `-(` + strings.Join(names(), "|") + `)\b`
	for _, to := range [][2]string{{flag + " SHELL", `$1 = [GO]`}, {"such as " + flag + ` ([^ ;,]+)`, `such as $1 = "$2"`}, {`(^|[ ("])` + flag, "$1$2"}} {
		text = regexp.MustCompile(to[0]).ReplaceAllString(text, to[1])
	}
	return text
}

// takes says what the key of an error takes, "" if the error is about something else.
func takes(bad *toml.DecodeError) (text string) {
	if len(bad.Key()) == 0 || !strings.Contains(bad.Error(), "cannot decode") {
		return ""
	}
	key := bad.Key()[len(bad.Key())-1]
	say := func(f reflect.StructField) {
		if f.Tag.Get("toml") != key && !strings.HasPrefix(f.Tag.Get("toml"), key+",") {
			return
		}
		switch kind := f.Type.Kind(); {
		case f.Type == reflect.TypeFor[[]rule]():
			text = "rules stand in tables, each below a line [[site.rule]]"
		case kind == reflect.Slice:
			example := map[bool]string{true: "/", false: "a"}[strings.HasPrefix(f.Tag.Get("arg"), "PAT")]
			text = fmt.Sprintf("%s takes a list, as %s = [%q]", key, key, example)
		case kind == reflect.Bool:
			text = fmt.Sprintf("%s takes true or false, as %s = true", key, key)
		case kind == reflect.String:
			text = fmt.Sprintf("%s takes a text in quotes, as %s = %q", key, key, "a")
		default:
			text = fmt.Sprintf("%s takes a number, as %s = 1", key, key)
		}
	}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[rule]()) {
		say(f)
	}
	new(Settings).Each(func(_ string, f reflect.StructField, _ reflect.Value) { say(f) })
	return text
}

func names() (all []string) {
	new(Settings).Each(func(_ string, f reflect.StructField, _ reflect.Value) {
		key, _, _ := strings.Cut(f.Tag.Get("toml"), ",")
		all = append(all, key)
	})
	slices.SortFunc(all, func(a, b string) int { return len(b) - len(a) }) // one may begin as another
	return all
}

// Meant asks whether one of the names was meant, if one is near.
func Meant(name string, names []string) string {
	near, best := 3, "" // edits
	for _, n := range names {
		if d := edits(name, n); d < near && 2*d <= len(n) {
			near, best = d, n
		}
	}
	if best == "" {
		return ""
	}
	return "; did you mean " + best + "?"
}

// edits returns how many letters to insert, delete or replace to make b of a.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before := row[0]
		row[0]++
		for j := range len(b) {
			cost := before
			if a[i] != b[j] {
				cost++
			}
			before = row[j+1]
			row[j+1] = min(cost, row[j]+1, before+1)
		}
	}
	return row[len(b)]
}
