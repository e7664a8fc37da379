package page

import (
	"bytes"
	"encoding/json"
	"io"
	"time"
)

// dates is when a thing was modified, the latest, and published, the earliest.
type dates struct{ modified, published time.Time }

func (d *dates) add(e dates) {
	if e.modified.After(d.modified) {
		d.modified = e.modified
	}
	if !e.published.IsZero() && (d.published.IsZero() || e.published.Before(d.published)) {
		d.published = e.published
	}
}

// readJSONLD returns the dates in one script of structured data, at any depth,
// but those of other things than the page: comments, media, listed items. A
// script that is not valid JSON has none.
func readJSONLD(script []byte) dates {
	if !bytes.Contains(script, []byte(`"dateModified"`)) && !bytes.Contains(script, []byte(`"datePublished"`)) {
		return dates{}
	}
	w := jsonWalk{dec: json.NewDecoder(bytes.NewReader(script))}
	for w.step() {
	}
	if w.failed || len(w.open) > 0 {
		return dates{}
	}
	return w.found
}

// maxJSONDepth bounds the nesting of structured data.
const maxJSONDepth = 64

// node is an open object or array of structured data.
type node struct {
	dates
	object  bool
	foreign bool   // it is about another thing than the page
	key     string // of the value that comes next, in an object
	wantKey bool
}

// jsonWalk reads the tokens of a JSON text and sums up the dates in it.
type jsonWalk struct {
	dec    *json.Decoder
	open   []node
	found  dates
	failed bool
}

// step reads one token. It returns false at the end and at an error.
func (w *jsonWalk) step() bool {
	t, err := w.dec.Token()
	if err != nil {
		w.failed = err != io.EOF
		return false
	}
	switch t {
	case json.Delim('{'), json.Delim('['):
		if len(w.open) == maxJSONDepth {
			w.failed = true
			return false
		}
		w.begin(t == json.Delim('{'))
	case json.Delim('}'), json.Delim(']'):
		w.end()
	default:
		s, _ := t.(string)
		w.scalar(s)
	}
	return true
}

func (w *jsonWalk) begin(object bool) {
	foreign, key := false, ""
	if n := len(w.open); n > 0 {
		key = w.open[n-1].key
		foreign = foreignKey(key)
		w.open[n-1].wantKey = w.open[n-1].object
	}
	child := node{object: object, wantKey: object, foreign: foreign}
	if !object {
		child.key = key // the values of an array are values of its key
	}
	w.open = append(w.open, child)
}

func (w *jsonWalk) end() {
	n := len(w.open) - 1
	done := w.open[n]
	w.open = w.open[:n]
	if done.foreign {
		return
	}
	if n == 0 {
		w.found.add(done.dates)
		return
	}
	w.open[n-1].add(done.dates)
}

// scalar takes a key or a value that is not an object or array.
func (w *jsonWalk) scalar(s string) {
	if len(w.open) == 0 {
		return
	}
	n := &w.open[len(w.open)-1]
	if n.wantKey {
		n.key, n.wantKey = s, false
		return
	}
	n.wantKey = n.object
	switch n.key {
	case "dateModified":
		n.add(dates{modified: pageDate(s)})
	case "datePublished":
		n.add(dates{published: pageDate(s)})
	case "@type":
		if foreignType(s) {
			w.markForeign()
		}
	}
}

// markForeign marks the innermost object. The values of "@type" may stand in
// an array of that object.
func (w *jsonWalk) markForeign() {
	for i := len(w.open) - 1; i >= 0; i-- {
		if w.open[i].object {
			w.open[i].foreign = true
			return
		}
	}
}

// foreignKey reports whether a property of a thing names another thing whose
// dates are not those of the page (schema.org).
func foreignKey(key string) bool {
	switch key {
	case "comment", "review", "suggestedAnswer", "acceptedAnswer", "mentions", "citation",
		"isBasedOn", "isPartOf", "itemListElement", "image", "video", "audio", "associatedMedia",
		"author", "publisher", "about", "subjectOf", "blogPost", "relatedLink":
		return true
	}
	return false
}

// foreignType reports whether things of a type are not what a page is about
// (schema.org).
func foreignType(t string) bool {
	switch t {
	case "Comment", "Review", "UserReview", "CriticReview", "Answer", "ImageObject", "VideoObject",
		"AudioObject", "Person", "Organization", "WebSite", "ItemList", "ListItem", "BreadcrumbList":
		return true
	}
	return false
}
