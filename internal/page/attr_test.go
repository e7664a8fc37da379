package page

import (
	"bytes"
	"slices"
	"testing"

	"golang.org/x/net/html"
)

func TestAttrScanner(t *testing.T) {
	tests := []struct {
		in   string
		want []string // names and values in turn
	}{
		{` a=1 b='2' c="3" d>`, []string{"a", "1", "b", "2", "c", "3", "d", ""}},
		{` a = 1 b= "x>y" />`, []string{"a", "1", "b", "x>y"}},
		{`/a/b=1/>`, []string{"a", "", "b", "1/"}},
		{` a=>`, []string{"a", ""}},
		{` =a=b>`, []string{"=a", "b"}},
		{"\n\t\f\ra\n=\n1\n>", []string{"a", "1"}},
		{` a="never closed`, []string{"a", "never closed"}},
		{` a="1"b="2">`, []string{"a", "1", "b", "2"}},
		{``, nil},
		{`>`, nil},
	}
	for _, tt := range tests {
		t.Run(tt.in, func(t *testing.T) {
			var got []string
			s := attrScanner{b: []byte(tt.in)}
			for {
				key, val, ok := s.next()
				if !ok {
					break
				}
				got = append(got, string(key), string(val))
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("attributes %q, want %q", got, tt.want)
			}
		})
	}
}

// FuzzAttributes holds that the attributes read from the raw bytes of a tag are
// those of the tokenizer.
func FuzzAttributes(f *testing.F) {
	f.Add([]byte(`<a href="/a" REL=nofollow hidden>`))
	f.Add([]byte(`<a href=/a/ href=/b rel='x'name=y/>`))
	f.Add([]byte("<meta content='a&amp;b\r\n' name = robots =type=x / lang>"))
	f.Fuzz(func(t *testing.T, in []byte) {
		fast, slow := html.NewTokenizer(bytes.NewReader(in)), html.NewTokenizer(bytes.NewReader(in))
		for {
			tt := fast.Next()
			slow.Next()
			if tt == html.ErrorToken {
				return
			}
			if tt != html.StartTagToken && tt != html.SelfClosingTagToken {
				continue
			}
			name := tagName(fast.Raw(), 1)
			var got, want tag
			got.read(fast, len(name))
			slowName, more := slow.TagName()
			if elementOf(name) != elementOf(slowName) {
				t.Fatalf("element %q is not %q", name, slowName)
			}
			if more {
				want.decode(slow)
			}
			if got.have != want.have {
				t.Fatalf("%q has attributes %b, want %b", in, got.have, want.have)
			}
			for a := range attrs {
				if !bytes.Equal(got.get(a), want.get(a)) {
					t.Fatalf("attribute %d of %q is %q, want %q", a, in, got.get(a), want.get(a))
				}
			}
		}
	})
}
