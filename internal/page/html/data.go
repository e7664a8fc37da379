package html

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"time"
)

// Thing is an object of structured data (schema.org), as encoding/json decodes it.
type Thing struct {
	Of  map[string]any // its properties
	Own bool           // it is what the page is, not something that belongs to it
}

// structured reads a script of structured data. It ignores a script that is not valid JSON.
func (r *reader) structured(script []byte) {
	if len(script) > r.dataLeft {
		return
	}
	r.dataLeft -= len(script)
	var v any
	if json.Unmarshal(script, &v) == nil {
		r.things(v, true)
	}
}

// things takes all things in a value of structured data, always in the same order. own says that a thing
// here is what the page is.
func (r *reader) things(v any, own bool) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			r.things(e, own)
		}
	case map[string]any:
		r.facts.Things = append(r.facts.Things, Thing{v, own})
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if !elsewhere[key] {
				r.things(v[key], own && (key == "@graph" || key == "mainEntity"))
			}
		}
	}
}

// elsewhere has properties (schema.org) that name things which other pages show, or which readers wrote.
var elsewhere = map[string]bool{
	"itemListElement": true, "mentions": true, "citation": true, "isBasedOn": true, "isPartOf": true, "relatedLink": true,
	"significantLink": true, "comment": true, "review": true, "suggestedAnswer": true, "acceptedAnswer": true,
	"blogPost": true,
	"author":   true, "publisher": true,
}

// besideThePage matches types (schema.org) of things that may stand beside what the page is.
var besideThePage = regexp.MustCompile(`(?:Comment|Review|Answer|Object|Person|Organization|WebSite|List|ListItem)$`)

// dataModified returns the latest dateModified of the things that the page is about.
func dataModified(things []Thing) (latest time.Time) {
	for _, t := range things {
		if date := Date(t.Text("dateModified")); t.Own && !t.Is(besideThePage) && date.After(latest) {
			latest = date
		}
	}
	return latest
}

// all returns a property as a list.
func (t Thing) all(property string) []any {
	if list, ok := t.Of[property].([]any); ok {
		return list
	}
	return []any{t.Of[property]}
}

// Is reports whether the thing has a type that matches. The vocabulary may stand before it.
func (t Thing) Is(types *regexp.Regexp) bool {
	return slices.ContainsFunc(t.all("@type"),
		func(v any) bool { name, ok := v.(string); return ok && types.MatchString(name) })
}

// Text returns a property that is a text, a number or a truth value, or the first one of a list.
func (t Thing) Text(property string) string {
	all := t.all(property)
	if len(all) == 0 {
		return ""
	}
	switch value := all[0].(type) {
	case string:
		return value
	case float64, bool:
		return fmt.Sprint(value)
	}
	return ""
}

// Object returns a property that is a thing, or the first one of a list.
func (t Thing) Object(property string) (of Thing, ok bool) {
	if all := t.all(property); len(all) > 0 {
		of.Of, ok = all[0].(map[string]any)
	}
	return of, ok
}
