package settings

import (
	"cmp"
	"encoding"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/servemap/servemap/internal/page/words"
)

// secret is a text that is never printed.
type secret string

// MarshalText writes nothing.
func (*secret) MarshalText() ([]byte, error) { return nil, nil }

// patterns are beginnings of locations. They may have commas in them.
type patterns []string

// duration is a time such as "30s" or "90d", as it was written.
type duration struct {
	time.Duration
	text string
}

// level is the least that is logged. It is written as it is read.
type level struct{ slog.Level }

// MarshalText writes what the owner may.
func (l level) MarshalText() ([]byte, error) { return []byte(strings.ToLower(l.String())), nil }

var days = regexp.MustCompile(`\d+(\.\d+)?d`)

// UnmarshalText reads what [time.ParseDuration] does, and days.
func (d *duration) UnmarshalText(text []byte) (err error) {
	d.text = string(text)
	d.Duration, err = time.ParseDuration(days.ReplaceAllStringFunc(d.text, func(days string) string {
		n, _ := strconv.ParseFloat(strings.TrimSuffix(days, "d"), 64)
		return fmt.Sprintf("%fh", 24*n)
	}))
	if err != nil || d.Duration <= 0 {
		return fmt.Errorf("%q is not %s", text, takes[reflect.TypeFor[duration]()])
	}
	return nil
}

// MarshalText writes what UnmarshalText read.
func (d duration) MarshalText() ([]byte, error) { return []byte(d.text), nil }

// takes says what settings take.
var takes = map[reflect.Type]string{
	reflect.TypeFor[bool]():        "true or false",
	reflect.TypeFor[int]():         "a number above 0",
	reflect.TypeFor[float64]():     "a number",
	reflect.TypeFor[string]():      "a text in quotes",
	reflect.TypeFor[secret]():      "a text in quotes",
	reflect.TypeFor[[]string]():    `a list of texts in quotes, such as ["a"]`,
	reflect.TypeFor[patterns]():    `a list of texts in quotes, such as ["/"]`,
	reflect.TypeFor[[]rule]():      "a line [[site.rule]] with two brackets before each rule",
	reflect.TypeFor[[]*Settings](): "a line [[site]] with two brackets before each site",
	reflect.TypeFor[duration]():    "a time with its unit, such as 30s or 90d",
	reflect.TypeFor[level]():       "debug, info, warn or error",
}

// Setting is one setting. It is also a flag.
type Setting struct {
	reflect.StructField
	Value      reflect.Value
	Group, Key string
}

// All returns each setting.
func (s *Settings) All() (all []Setting) {
	group, v := "", reflect.ValueOf(s).Elem()
	for _, f := range reflect.VisibleFields(v.Type()) {
		if f.Anonymous {
			group = f.Tag.Get("group")
			continue
		}
		all = append(all, Setting{f, v.FieldByIndex(f.Index), group, keyOf(f)})
	}
	return all
}

// keyOf returns the key of a field in a file.
func keyOf(f reflect.StructField) string {
	key, _, _ := strings.Cut(f.Tag.Get("toml"), ",")
	return key
}

// Flags declares the flags of a command that serves, or of crawl.
func (s *Settings) Flags(fs *flag.FlagSet, command string) {
	for _, x := range s.All() {
		of := x.Tag.Get("of")
		if of == command || command != "crawl" && (of == "" || of == "crawl") {
			fs.Var(x, x.Key, words.Say(x.Tag.Get("comment")))
		}
	}
}

// String returns the default.
func (x Setting) String() string { return x.Tag.Get("default") }

// IsBoolFlag lets a switch stand without a value.
func (x Setting) IsBoolFlag() bool { return x.Type != nil && x.Type.Kind() == reflect.Bool }

// names returns the names that one text gives.
func names(text string) []string {
	return strings.FieldsFunc(text, func(c rune) bool { return c == ',' || c == ' ' })
}

// locations returns the locations that one text gives. A comma within a location stays.
func locations(text string) []string {
	return lines(strings.NewReplacer(",/", "\n/", ",*", "\n*").Replace(text))
}

func lines(text string) []string {
	return strings.FieldsFunc(text, func(c rune) bool { return c == '\n' })
}

// Set sets the setting to a text. A list grows by it.
func (x Setting) Set(text string) (err error) {
	if _, isSecret := x.Value.Interface().(secret); strings.HasPrefix(text, "-") && !isSecret {
		return errors.New("it takes its value before the next flag")
	}
	switch to := x.Value.Addr().Interface().(type) {
	case encoding.TextUnmarshaler:
		err = to.UnmarshalText([]byte(text))
	case *bool:
		*to, err = strconv.ParseBool(text)
	case *int:
		if *to, err = strconv.Atoi(text); *to < 1 {
			err = strconv.ErrRange
		}
	case *[]string:
		*to = append(*to, names(text)...)
	case *patterns:
		*to = append(*to, locations(text)...)
	default:
		x.Value.SetString(text)
	}
	if err != nil {
		return errors.New("it takes " + takes[x.Type])
	}
	return nil
}

// split takes the texts of a list in a file apart where their owner meant several, as he would write them in a flag. A
// comma stays in a URL, and in a pattern unless a slash follows it.
func (x Setting) split() {
	switch to := x.Value.Addr().Interface().(type) {
	case *[]string:
		if x.Key != "sitemap" {
			*to = names(strings.Join(*to, ","))
		}
	case *patterns:
		*to = lines(strings.ReplaceAll(strings.Join(*to, "\n"), ",/", "\n/"))
	case *[]rule:
		for i := range *to {
			(*to)[i].Query = names(strings.Join((*to)[i].Query, ","))
		}
	}
}

// given reports whether the owner said something.
func (x Setting) given() bool {
	return !x.Value.IsZero() && (x.Type.Kind() != reflect.Slice || x.Value.Len() > 0)
}

// Fill gives the settings that were not made their defaults.
func (s *Settings) Fill() {
	for _, x := range s.All() {
		if text := cmp.Or(os.Getenv(x.Tag.Get("env")), x.Tag.Get("default")); text != "" && !x.given() {
			_ = x.Set(text) // a test sets all defaults
		}
	}
}
