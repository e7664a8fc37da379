package main

import (
	"fmt"
	"slices"
	"testing"
)

// There were observations of the page at 10, 20, 30, 40 and 50. It changed at 20 and at 40.
func TestCrawlCountsChangesFoundAndVisitsWasted(t *testing.T) {
	for _, row := range []struct {
		name    string
		at      []int64
		unclear int64
		want    crawl
	}{
		{"no fetch", nil, 0, crawl{}},
		{"at every observation", []int64{20, 30, 40, 50}, 0, crawl{visits: 4, fetches: 4, seen: 2}},
		{"some time after each change", []int64{25, 47}, 0, crawl{visits: 2, fetches: 2, seen: 2, delay: 12}},
		{"after both changes, only the last is seen", []int64{45}, 0, crawl{visits: 1, fetches: 1, seen: 1, delay: 5}},
		{"a fetch more sees no change twice", []int64{20, 35, 50}, 0, crawl{visits: 3, fetches: 3, seen: 2, delay: 10}},
		{"an unclear observation is not judged", []int64{20, 30, 50}, 30, crawl{visits: 3, fetches: 2, seen: 2, delay: 10}},
	} {
		t.Run(row.name, func(t *testing.T) {
			p := &judged{fetches: []int64{10, 20, 30, 40, 50}, changes: map[int64]bool{20: true, 40: true}, unclear: map[int64]bool{row.unclear: true}}
			row.want.rule, row.want.changes, row.want.span = row.name, 2, 40
			if got := p.crawled(row.name, row.at); got != row.want {
				t.Errorf("got %+v, want %+v", got, row.want)
			}
		})
	}
}

func TestACrawlerFollowsNewerDates(t *testing.T) {
	for _, row := range []struct {
		name  string
		dates []int64 // that the sitemap shows after the observations at 10, 20, 30 and 40
		want  []int64
	}{
		{"no date", []int64{0, 0, 0, 0}, nil},
		{"a date from before the first observation", []int64{5, 5, 5, 5}, nil},
		{"a change at the second observation", []int64{0, 20, 20, 20}, []int64{20}},
		{"one that is certain an observation later", []int64{0, 0, 20, 20}, []int64{30}},
		{"one from before the last fetch", []int64{0, 20, 15, 15}, []int64{20}},
		{"one at every observation", []int64{10, 20, 30, 40}, []int64{20, 30, 40}},
	} {
		t.Run(row.name, func(t *testing.T) {
			var d dates
			for i, date := range row.dates {
				d.visit(date, int64(10*i+10), 10)
			}
			if !slices.Equal(d.visits, row.want) {
				t.Errorf("fetched at %v, want %v", d.visits, row.want)
			}
		})
	}
}

func TestCrawlersFollowTheDatesOfTheirRule(t *testing.T) {
	var r report
	if err := replay(fromText(twoPages(t)), &r); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range r.all().crawls {
		got = append(got, fmt.Sprintf("%s: %d, %d of %d", c.rule, c.fetches, c.seen, c.changes))
	}
	want := []string{
		"no sitemap, at every observation: 14, 1 of 1", "no sitemap, as often as by ours: 1, 0 of 1",
		"lastmod by bytes: 14, 1 of 1", "lastmod by visible text: 1, 1 of 1", "lastmod by main text: 1, 1 of 1",
		"lastmod by main text, none of last 4: 1, 1 of 1", "lastmod by blocks, unbounded: 1, 1 of 1", "lastmod by ours: 1, 1 of 1",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q,\nwant %q", got, want)
	}
}
