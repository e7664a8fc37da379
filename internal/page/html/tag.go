package html

import (
	"strings"

	"golang.org/x/net/html"
)

// attributeNames are the attributes that the reader needs.
var attributeNames = func() map[string]string {
	byName := make(map[string]string)
	for name := range strings.FieldsSeq(`class content data-confirm data-lazy-src data-lazy-srcset data-method data-original data-src
		data-srcset data-turbo-method height hidden href hreflang http-equiv hx-delete hx-patch hx-post hx-put id lang media name
		onclick property rel role src srcset type width`) {
		byName[name] = name
	}
	return byName
}()

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
		if name := attributeNames[string(key)]; name != "" && !t.has(name) {
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
