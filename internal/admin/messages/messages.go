// Package messages has what servemap tells the owner of a site: why a page is listed or not, what
// would change that, how its dates were decided, why there is no sitemap, and what prevents learning
// a whole site. It takes the constants with which other packages decide, and returns English. It
// decides nothing. Strangers can read the page that stands in for a sitemap, so its text names no
// page, client or cookie.
package messages

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/page/location"
	"github.com/servemap/servemap/internal/page/words"
)

// MovedTo says what to do if the origin redirects to another one.
func MovedTo(origin string) string {
	return words.Say("if visitors go there, write {Origin} ") + origin
}

// Elsewhere says what to do if the origin does not lead to the process that explores. cut is what something in
// front cuts off the path, "" if that is not the cause.
func Elsewhere(cut string) string {
	if cut != "" {
		return "a server in front cuts " + cut + words.Say(" off the path: {StrippedTo} ") + cut
	}
	return words.Say("correct {Origin}, or, only if no server in front keeps strangers from a page, {InsideThis}")
}

// always returns the rule that lists one location, as the owner can type it.
func always(location string) string { return words.Typed("{AlwaysThis}", location+"$") }

// Change is a setting that changes a verdict.
type Change struct {
	Does string `json:"does,omitempty"`
	Type string `json:"type,omitempty"` // as the owner types it
}

// Setting returns what the owner can type to change the verdict on a location, and what that does. Both are "" if
// nothing changes it. A page that waits because nobody got it, or because it is no page, is linked already, so a rule
// adds nothing.
func Setting(location string, is eligibility.Standing) (s Change) {
	switch why := is.Reason; {
	case is.Listed():
		s.Does, s.Type = "To keep it out, add:", words.Typed("{NeverThis}", location+"$")
	case why == eligibility.Private || why == eligibility.NoStore:
		s.Does, s.Type = "To list it although it says so, add:", words.Typed("{PublicThis}", location+"$")
	case why == eligibility.PasswordField, why == eligibility.Forgotten, why == eligibility.LinkActs,
		slices.Contains(ReasonNamed(why.String()).Frees, this):
		s.Does, s.Type = "To list it at its next visit, add:", always(location)
	}
	if typed, found := strings.CutSuffix(s.Type, " in Options.Rules"); found { // not to be copied
		s.Does, s.Type = strings.TrimSuffix(s.Does, ":")+" to Options.Rules:", typed+"," // as gofmt has it, one a line
	}
	return s
}

// views matches a parameter that, by its name, searches, shows the same page or list in another way, or what is not
// public yet.
var views = regexp.MustCompile(`(?i)^((sort|order|filter|print|preview|draft)(\W.*|_?by|_?dir)?|(preview|draft)_?(id|nonce)|` +
	`.*(token|nonce)|dir|q|query|search|keywords?)$`)

// pages reports whether a parameter may make a page of its own, by its name.
func pages(name string) bool {
	return eligibility.Selects(name) && !location.Tracks(name) && !views.MatchString(name)
}

// Parameters returns the names of parameters that may make pages of their own, to be offered for {Query}. params are
// as in servemap.Exploration.
func Parameters(params []string) (names []string) {
	for _, p := range params { // such as "id,lang: 20 linked pages of /view"
		keys, _, _ := strings.Cut(p, ": ")
		names = append(names, strings.Split(keys, ",")...)
	}
	slices.Sort(names)
	return slices.DeleteFunc(slices.Compact(names), func(name string) bool { return !pages(name) })
}

// Offered returns how many linked pages the parameters keep out that may make pages of their own. params are as in
// servemap.Exploration.
func Offered(params []string) (pages int) {
	for _, p := range params {
		if _, linked, _ := strings.Cut(p, ": "); len(Parameters([]string{p})) > 0 {
			n, _, _ := strings.Cut(linked, " ")
			of, _ := strconv.Atoi(n) // which Explore wrote
			pages += of
		}
	}
	return pages
}
