package tree

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestTitlesLoseWhatTheyHaveInCommon(t *testing.T) {
	tests := []struct {
		name   string
		titles []string
		want   []string
	}{
		{"an end", []string{"A | Shop", "B | Shop", "C | Shop", "Shop"}, []string{"A", "B", "C", "Shop"}},
		{"a beginning", []string{"Shop: A", "Shop: B", "C"}, []string{"A", "B", "C"}},
		{"the longest end", []string{"A – Blog – Shop", "B – Blog – Shop", "C – Blog – Shop", "D – Shop"}, []string{"A", "B", "C", "D"}},
		{"not what half have", []string{"A | Shop", "B | Shop", "C", "D"}, []string{"A | Shop", "B | Shop", "C", "D"}},
		{"not of two titles", []string{"A | Shop", "B | Shop"}, []string{"A | Shop", "B | Shop"}},
		{"not all of a title", []string{" | Shop", "A | Shop", "B | Shop", "C | Shop"}, []string{"| Shop", "A", "B", "C"}},
		{"pages without a title do not count", []string{"", "", "", "A | Shop", "B | Shop", "C | Shop"}, []string{"", "", "", "A", "B", "C"}},
		{"a title with a separator of its own", []string{"Go - the language | Shop", "B | Shop", "C | Shop"}, []string{"Go - the language", "B", "C"}},
		{"other scripts", []string{"Ёж — Магазин", "Кот — Магазин", "Пёс — Магазин"}, []string{"Ёж", "Кот", "Пёс"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := common(tt.titles)
			var got []string
			for _, title := range tt.titles {
				got = append(got, a.strip(title))
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

func TestPageWithoutATitleIsNamedAfterItsAddress(t *testing.T) {
	for location, want := range map[string]string{
		"/":                    "",
		"/about-us":            "About us",
		"/a/green_apples.html": "Green apples",
		"/a/b/":                "B",
		"/%C3%BCber":           "Über",
		"/%FF":                 "%FF",
		"/a%00b":               "A%00b",
		"/list?page=2":         "List (page=2)",
		"/?page=a%2Fb":         "(page=a/b)",
		"/.html":               "",
	} {
		if got := name(location); got != want {
			t.Errorf("the name of %s is %q, want %q", location, got, want)
		}
	}
}

func TestLongTitlesAreCut(t *testing.T) {
	got := affixes{}.label(entry{title: strings.Repeat("日本 ", 60)})
	if n := utf8.RuneCountInString(got); n > longestLabel || !strings.HasSuffix(got, "…") {
		t.Errorf("%d characters: %s", n, got)
	}
}

func FuzzTitles(f *testing.F) {
	f.Add("A | Shop", "B | Shop", "/a?b=%C3%BC")
	f.Add("Shop: : A", " - ", "/%")
	f.Fuzz(func(t *testing.T, x, y, location string) {
		a := common([]string{x, x, x, y})
		for _, title := range []string{x, y} {
			if got := a.strip(title); !strings.Contains(title, got) || strings.TrimSpace(title) != "" && got == "" {
				t.Errorf("%q became %q", title, got)
			}
			if got := a.label(entry{title: title, location: "/" + location}); utf8.RuneCountInString(got) > longestLabel && utf8.ValidString(title) {
				t.Errorf("%d characters of %q", utf8.RuneCountInString(got), got)
			}
		}
	})
}
