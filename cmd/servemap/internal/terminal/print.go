package terminal

import (
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/servemap/servemap/internal/inspect"
)

// The names of fields are those of the JSON, so that people and programs read of the same things,
// and a new field needs no line here.

// PrintFields prints a struct for people: a line for each field that is not empty.
func PrintFields(w io.Writer, indent string, v reflect.Value) {
	for i := range v.NumField() {
		field, value := v.Type().Field(i), v.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case field.Anonymous:
			PrintFields(w, indent, value)
		case name != "" && name != "-":
			printField(w, indent, strings.ReplaceAll(strings.TrimSuffix(name, "_ns"), "_", " "), value)
		}
	}
}

// printField prints a value with its name, each element of a list on lines of its own.
func printField(w io.Writer, indent, name string, v reflect.Value) {
	if v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	if !v.IsValid() || v.IsZero() || v.Kind() == reflect.Map && v.Len() == 0 {
		return
	}
	text := ""
	switch value := v.Interface().(type) {
	case time.Time:
		text = Stamp(value)
	case time.Duration:
		text = inspect.Span(value)
	default:
		switch v.Kind() {
		case reflect.Struct:
			fmt.Fprintf(w, "%s%s\n", indent, name)
			PrintFields(w, indent+"  ", v)
			return
		case reflect.Slice:
			for i := range v.Len() {
				printField(w, indent, name, v.Index(i))
			}
			return
		case reflect.Map:
			fmt.Fprintf(w, "%s%s\n", indent, name)
			byName := func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) }
			for _, key := range slices.SortedFunc(slices.Values(v.MapKeys()), byName) {
				printField(w, indent+"  ", key.String(), v.MapIndex(key))
			}
			return
		}
		text = Escape(strings.ReplaceAll(strings.TrimSpace(fmt.Sprint(value)), "\n", " "), "")
	}
	fmt.Fprintf(w, "%s%-*s %s\n", indent, max(0, 14-len(indent)), name, text)
}

// Stamp returns a time in the sitemap's format, "" for none.
func Stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// Row returns a line of fields for people and for cut.
func Row(fields ...string) string {
	for i, f := range fields {
		fields[i] = Escape(f, "")
	}
	return strings.Join(fields, "\t") + "\n"
}
