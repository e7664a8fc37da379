package main

import (
	"bufio"
	"fmt"
	"strings"
	"time"

	"github.com/servemap/servemap"
)

// crawler is what one search engine fetched.
type crawler struct {
	Engine      string        `json:"engine"`
	Confirmable bool          `json:"confirmable"`
	Days        []crawlerDay  `json:"days"`
	Files       []crawlerFile `json:"files,omitempty"`
	Since       time.Time     `json:"since"` // of the pages
	FetchedDay  int           `json:"fetched_day"`
	FetchedWeek int           `json:"fetched_week"`
	NotFetched  int           `json:"not_fetched"`
	AfterChange float64       `json:"after_change_seconds,omitempty"`
	Changes     int           `json:"changes"`
}

type crawlerDay struct {
	Day       string `json:"day"`
	Claimed   int    `json:"claimed"`
	Confirmed int    `json:"confirmed"`
	Refuted   int    `json:"refuted"`
}

type crawlerFile struct {
	URL    string    `json:"url"`
	At     time.Time `json:"at"`
	Status int       `json:"status"`
}

func crawlersOf(all []servemap.Crawler) (crawlers []crawler) {
	for _, c := range all {
		x := crawler{
			Engine: c.Engine, Confirmable: c.Confirmable, Since: c.Since, FetchedDay: c.FetchedDay, FetchedWeek: c.FetchedWeek,
			NotFetched: c.NotFetched, AfterChange: c.AfterChange.Seconds(), Changes: c.Changes,
		}
		for _, d := range c.Days {
			x.Days = append(x.Days, crawlerDay{d.Day.Format(time.DateOnly), d.Claimed, d.Confirmed, d.Refuted})
		}
		for _, f := range c.Files {
			x.Files = append(x.Files, crawlerFile(f))
		}
		crawlers = append(crawlers, x)
	}
	return crawlers
}

// The store has a month. The command prints only the latest for people.
const (
	shownDays  = 7
	shownFiles = 10
)

func printCrawlers(w *bufio.Writer, crawlers []crawler) {
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
			fmt.Fprintf(w, "  from a change to the next fetch %v, the median of %d\n", time.Duration(c.AfterChange*float64(time.Second)).Round(time.Second), c.Changes)
		}
		for _, d := range c.Days[:min(len(c.Days), shownDays)] {
			fmt.Fprintf(w, "  %s  %d requests that claim to be of it%s\n", d.Day, d.Claimed, proven(c, d))
		}
	}
}

// proven says how many of a day's requests have a confirmed claim.
func proven(c crawler, d crawlerDay) string {
	if !c.Confirmable {
		return ""
	}
	text := fmt.Sprintf(", %d are, %d are not, %d may be", d.Confirmed, d.Refuted, d.Claimed-d.Confirmed-d.Refuted)
	return strings.TrimSuffix(text, ", 0 may be")
}
