package mark

import (
	"fmt"
	"testing"
)

func TestIgnored(t *testing.T) {
	counter := func(n int) string { return text(one, two) + fmt.Sprintf("<main><i>%d readers are here</i></main>", n) }
	for _, tt := range []struct {
		name  string
		pages []string
		want  Ignored
	}{
		{"nothing", []string{text(one), text(one)}, Ignored{}},
		{"a counter", []string{counter(1), counter(2), counter(3), counter(4), counter(5)}, Ignored{Volatile: 1, Variant: 2}},
		{"what comes and goes", []string{text(one, two), text(two), text(one, two)}, Ignored{Variant: 1}},
		{"a copyright line", []string{text(one, "© 2026")}, Ignored{Furniture: 1}},
		{"a few words more", []string{text(one, two), text(one, two, "Sold out")}, Ignored{Held: 1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m, _, _ := looks(tt.pages...)
			m, err := Parse(m.AppendBinary(nil))
			if err != nil {
				t.Fatal(err)
			}
			if got := m.Ignored(); got != tt.want {
				t.Errorf("%+v, want %+v", got, tt.want)
			}
		})
	}
}
