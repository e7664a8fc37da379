package html

import (
	"encoding/json"
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
	"significantLink": true, "comment": true, "review": true, "suggestedAnswer": true, "acceptedAnswer": true, "blogPost": true,
	"author": true, "publisher": true,
}

// besideThePage matches types (schema.org) of things that may stand beside what the page is.
var besideThePage = regexp.MustCompile(`(?:Comment|Review|Answer|Object|Person|Organization|WebSite|List|ListItem)$`)

// dataModified returns the latest dateModified of what the page is.
func dataModified(things []Thing) (latest time.Time) {
	for _, t := range things {
		if !t.Own || slices.ContainsFunc(t.Texts("@type"), besideThePage.MatchString) {
			continue
		}
		for _, s := range t.Texts("dateModified") {
			if date := Date(s); date.After(latest) {
				latest = date
			}
		}
	}
	return latest
}

// Texts returns the texts of a property that is a text, or a list of them.
func (t Thing) Texts(property string) (all []string) {
	list, ok := t.Of[property].([]any)
	if !ok {
		list = []any{t.Of[property]}
	}
	for _, e := range list {
		if s, ok := e.(string); ok {
			all = append(all, s)
		}
	}
	return all
}
