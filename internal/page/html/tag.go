package html

import "golang.org/x/net/html"

// maxAttributes is how many attributes of a tag are read.
const maxAttributes = 1000

// tag holds the attributes of one start tag. They are valid until the next token.
type tag []attribute

type attribute struct{ name, value []byte }

// read takes the attributes of the tokenizer's start tag. more says that there are any.
func (t *tag) read(z *html.Tokenizer, more bool) {
	*t = (*t)[:0]
	for more && len(*t) < maxAttributes {
		var a attribute
		a.name, a.value, more = z.TagAttr()
		*t = append(*t, a)
	}
}

// find returns the first attribute with a name, or nil.
func (t tag) find(name string) *attribute {
	for i := range t {
		if string(t[i].name) == name {
			return &t[i]
		}
	}
	return nil
}

func (t tag) has(name string) bool { return t.find(name) != nil }

// get returns the value of an attribute, which is empty if it is absent.
func (t tag) get(name string) []byte {
	if a := t.find(name); a != nil {
		return a.value
	}
	return nil
}
