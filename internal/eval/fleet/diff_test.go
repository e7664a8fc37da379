package main

import (
	"context"
	"net/http"
	"testing"
)

// files serves a sitemap in two files.
func files(second string) getter {
	bodies := map[string]string{
		"/sitemap.xml": `<sitemapindex><sitemap><loc>` + origin + `/sitemap-1.xml</loc></sitemap><sitemap><loc>` + origin + `/sitemap-2.xml</loc></sitemap></sitemapindex>`,
		"/sitemap-1.xml": `<urlset><url><loc>` + origin + `/a</loc><lastmod>2026-01-01T00:00:00Z</lastmod></url>` +
			`<url><loc>` + origin + `/b</loc><changefreq>daily</changefreq></url></urlset>`,
		"/sitemap-2.xml": second,
	}
	return func(_ context.Context, path string) (int, string, []byte, error) {
		return http.StatusOK, path, []byte(bodies[path]), nil
	}
}

func TestDiff(t *testing.T) {
	one, err := read(t.Context(), files(`<urlset><url><loc>/c</loc></url><url><loc>/d</loc><lastmod>2026-01-02T00:00:00Z</lastmod></url></urlset>`))
	if err != nil {
		t.Fatal(err)
	}
	fleet, err := read(t.Context(), files(`<urlset><url><loc>/d</loc><changefreq>daily</changefreq></url><url><loc>/e</loc></url><url><loc>/f</loc></url></urlset>`))
	if err != nil {
		t.Fatal(err)
	}
	want := difference{both: 3, onlyOne: 1, onlyFleet: 2, dates: 2, labels: 2, dated: 2, labelled: 1}
	if got := diff(one, fleet); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if one.tags != "/sitemap.xml/sitemap-1.xml/sitemap-2.xml" {
		t.Errorf("the tags are %q", one.tags)
	}
}

func TestWhatAnswersFit(t *testing.T) {
	for _, tt := range []struct {
		name      string
		got, want int
		fits      bool
	}{
		{"the same", http.StatusNotFound, http.StatusNotFound, true},
		{"a page that goes meanwhile", http.StatusGone, http.StatusOK, true},
		{"one that had gone a moment before", http.StatusOK, http.StatusGone, true},
		{"a failure in place of a page", http.StatusInternalServerError, http.StatusOK, false},
		{"a failure in place of one that is gone", http.StatusBadGateway, http.StatusGone, false},
		{"a page in place of a failure", http.StatusOK, http.StatusInternalServerError, false},
	} {
		if got := fits(tt.got, tt.want); got != tt.fits {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.fits)
		}
	}
}
