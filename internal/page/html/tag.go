package html

import (
	"bytes"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// attributeNames are the attributes that the reader needs.
var attributeNames = func() map[string]string {
	byName := make(map[string]string)
	for name := range strings.FieldsSeq(`aria-hidden autocomplete class content data-lazy-src data-original data-src height hidden
		href hreflang http-equiv id lang media name popover property rel role src style type width`) {
		byName[name] = name
	}
	return byName
}()

// The names under which the reader keeps attributes that say what a link does besides a visit. Each
// tool has its own names for them, such as data-turbo-method, wire:click and data-ajax-confirm.
const (
	method  = "method"
	sends   = "sends" // hx-post, data-hx-delete, formaction
	click   = "click"
	confirm = "confirm"
)

// doing returns which of these an attribute is, or "".
func doing(name []byte) string {
	tool, verb, _ := bytes.Cut(bytes.TrimPrefix(name, []byte("data-")), []byte("-"))
	switch {
	case bytes.Contains(name, []byte(confirm)):
		return confirm
	case bytes.HasSuffix(name, []byte(method)):
		return method
	case bytes.Contains(name, []byte(click)):
		return click
	case string(name) == "formaction", string(tool) == "hx" && sendsBy(verb):
		return sends
	}
	return ""
}

// sendsBy reports whether a method changes something.
func sendsBy(method []byte) bool {
	return slices.Contains([]string{"post", "put", "patch", "delete"}, strings.ToLower(string(method)))
}

// tag holds the attributes of one start tag that the reader needs. They are valid until the next
// token.
type tag []attribute

type attribute struct {
	name  string
	value []byte
}

// read takes the attributes of the tokenizer's start tag. more says that there are any.
func (t *tag) read(z *html.Tokenizer, more bool) {
	*t = (*t)[:0]
	for more {
		var key, value []byte
		key, value, more = z.TagAttr()
		name := attributeNames[string(key)]
		if does := doing(key); does != "" {
			*t = append(*t, attribute{does, value})
		} else if name != "" && !t.has(name) {
			*t = append(*t, attribute{name, value})
		}
	}
}

func (t tag) has(name string) bool {
	for i := range t {
		if t[i].name == name {
			return true
		}
	}
	return false
}

// get returns the value of an attribute, which is empty if it is absent.
func (t tag) get(name string) []byte {
	for i := range t {
		if t[i].name == name {
			return t[i].value
		}
	}
	return nil
}
