package main

import (
	"bufio"
	"fmt"
	"strings"
	"time"

	"github.com/servemap/servemap"
)

// The store has a month. The command prints only the latest for people.
const (
	shownDays  = 7
	shownFiles = 10
)

func printCrawlers(w *bufio.Writer, crawlers []servemap.Crawler) {
	for _, c := range crawlers {
		proof := "confirmed by the DNS"
		if !c.Confirmable {
			proof = "by its own word, as the DNS does not know its addresses"
		}
		fmt.Fprintf(w, "\n%s, %s:\n", c.Engine, proof)
		for _, f := range c.Files[:min(len(c.Files), shownFiles)] {
			fmt.Fprintf(w, "  %s  %d  %s\n", stamp(f.At), f.Status, f.URL)
		}
		fmt.Fprintf(w, "  since %s it fetched %d pages in the last day, %d in the last week, and never %d\n", stamp(c.Since), c.FetchedDay, c.FetchedWeek, c.NotFetched)
		if c.Changes > 0 {
			fmt.Fprintf(w, "  from a change to the next fetch %v, the median of %d\n", c.AfterChange.Round(time.Second), c.Changes)
		}
		for _, d := range c.Days[:min(len(c.Days), shownDays)] {
			fmt.Fprintf(w, "  %s  %d requests that claim to be of it%s\n", d.Day.Format(time.DateOnly), d.Claimed, proven(c, d))
		}
	}
}

// proven says how many of a day's requests have a confirmed claim.
func proven(c servemap.Crawler, d servemap.CrawlerDay) string {
	if !c.Confirmable {
		return ""
	}
	text := fmt.Sprintf(", %d are, %d are not, %d may be", d.Confirmed, d.Refuted, d.Claimed-d.Confirmed-d.Refuted)
	return strings.TrimSuffix(text, ", 0 may be")
}
