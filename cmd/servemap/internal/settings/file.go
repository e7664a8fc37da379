package settings

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/servemap/servemap/internal/page/words"
)

// Read reads the sites of a file. What the file says before its first site holds for each site that
// does not say otherwise. An error names the line.
func Read(name string, text []byte) ([]*Settings, error) {
	var file struct {
		Settings
		Sites []*Settings `toml:"site"`
	}
	if err := toml.NewDecoder(bytes.NewReader(text)).DisallowUnknownFields().Decode(&file); err != nil {
		return nil, fmt.Errorf("%s%w", name, faulty(err))
	}
	if reflect.ValueOf(file).IsZero() {
		return nil, fmt.Errorf("%s says nothing; \"servemap config\" prints all settings", name)
	}
	if len(file.Sites) == 0 {
		file.Sites = []*Settings{{}}
	}
	var said struct {
		Sites []map[string]any `toml:"site"`
	}
	err := toml.Unmarshal(text, &said)
	above := file.All()
	for i, s := range file.Sites {
		for j, x := range s.All() {
			if i >= len(said.Sites) || said.Sites[i][x.Key] == nil { // a site may say false
				x.Value.Set(above[j].Value)
			}
		}
		s.Fill()
		if s.Folder != "" && err == nil {
			s.Folder, err = filepath.Abs(s.Folder)
		}
	}
	return file.Sites, err
}

// faulty says what is wrong with a file, after its name.
func faulty(err error) error {
	var unknown *toml.StrictMissingError
	var bad *toml.DecodeError
	if errors.As(err, &unknown) {
		bad = &unknown.Errors[0]
	} else if !errors.As(err, &bad) {
		return fmt.Errorf(": %w", err)
	}
	line, _ := bad.Position()
	key, types := strings.Join(bad.Key()[max(0, len(bad.Key())-1):], ""), map[string]reflect.Type{}
	for _, t := range []reflect.Type{reflect.TypeFor[rule](), reflect.TypeFor[Settings]()} {
		for _, f := range reflect.VisibleFields(t) {
			types[keyOf(f)] = f.Type
		}
	}
	switch {
	case unknown != nil:
		return fmt.Errorf(":%d: There is no setting %s. %s", line, key, Meant(key, slices.Sorted(maps.Keys(types)), `"servemap config" prints all of them.`))
	case takes[types[key]] != "":
		return fmt.Errorf(":%d: %s takes %s", line, key, takes[types[key]])
	}
	return fmt.Errorf(":%d: %s", line, strings.TrimPrefix(bad.Error(), "toml: "))
}

// remark is a line of a file that says what a setting is for.
var remark = regexp.MustCompile(`(?m)^#.*$`)

// Write returns a file that says all of these settings, but for passwords and keys.
func Write(sites []*Settings) ([]byte, error) {
	text, err := toml.Marshal(map[string]any{"site": sites})
	return remark.ReplaceAllFunc(text, func(line []byte) []byte { return []byte(words.Say(string(line))) }), err
}

// Meant asks whether one of the names was meant, if one is near, and else returns another text.
func Meant(name string, names []string, other string) string {
	for edits := range 3 {
		for _, n := range names {
			if 2*edits <= len(n) && near(name, n, edits) {
				return "Did you mean " + n + "?"
			}
		}
	}
	return other
}

// near reports whether so many letters inserted, deleted or replaced make b of a.
func near(a, b string, edits int) bool {
	switch {
	case a == "" || b == "":
		return len(a)+len(b) <= edits
	case a[0] == b[0]:
		return near(a[1:], b[1:], edits)
	}
	return edits > 0 && (near(a[1:], b, edits-1) || near(a, b[1:], edits-1) || near(a[1:], b[1:], edits-1))
}
