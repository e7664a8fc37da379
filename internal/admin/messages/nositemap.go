package messages

import (
	"strings"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/page/words"
	"github.com/servemap/servemap/store"
)

// Counts are the numbers to show in place of a sitemap.
type Counts struct {
	Origin       string
	Listed       int
	Dated        int               // of these, with a lastmod
	Observations uint64            // since the start
	Verdicts     map[string]int    // locations by verdict and reason
	Ignored      map[string]uint64 // responses that did not count, by reason
	Hints        []string          // as texts
	Broken       int               // links
	OffersQuery  bool              // a parameter that keeps linked pages out may make pages of its own, as far as is known
	ReportOnly   bool
	Unserved     bool     // no request for the sitemap comes here, as far as is known
	NoStore      bool     // the store cannot be used
	Opens        bool     // a rule lists pages although they are sent as private or no-store
	UnusedRules  []string // patterns of Never rules, while they keep no page out
}

// Unused says which rules keep no page out, "" for none.
func (c Counts) Unused() string {
	if len(c.UnusedRules) == 0 {
		return ""
	}
	return words.Say("Nothing is kept out yet by {Never}: ") + strings.Join(c.UnusedRules, ", ") +
		". If something should be, see how the site spells it."
}

// Making reports whether the first file of the sitemap is still being made: a page is listed, and
// none is served yet.
func (c Counts) Making() bool {
	for why := range c.Verdicts {
		if c.Listed == 0 && strings.HasPrefix(why, eligibility.Listed.String()+" ") {
			return true
		}
	}
	return false
}

// Trouble says why a store cannot be used, without the names that the parts of the program put before the cause.
func Trouble(err error) string {
	text := strings.TrimPrefix(err.Error(), "servemap: ")
	if _, cause, is := strings.Cut(text, store.ErrUnavailable.Error()+": "); is {
		return cause
	}
	return text
}

// ToOwner says where the site's owner reads more. NoSitemap ends with it.
func ToOwner() string { return words.Say(" The log and {Asks} tell its owner more.") }

// NoSitemap says why there is no sitemap. Strangers may read it, so the owner learns more elsewhere.
func NoSitemap(c Counts) string {
	text := "No page of " + c.Origin + " is listed yet."
	switch {
	case c.ReportOnly:
		text = "The sitemap of " + c.Origin + " is not served because {ReportOnly} is set."
	case c.NoStore:
		text = "The sitemap of " + c.Origin + " cannot be served now, since what was learned of the site cannot be read."
	case c.Making():
		text = "The first file of the sitemap of " + c.Origin + " is being made. Ask again in some seconds."
	}
	return words.Say(text) + ToOwner() + "\n"
}
