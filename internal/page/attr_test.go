package page

import (
	"slices"
	"testing"
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
