// Package messages has what servemap tells the owner of a site: why a page is listed or not, what
// would change that, how its dates were decided, why there is no sitemap, and what prevents learning
// a whole site. It takes the constants with which other packages decide, and returns English. It
// decides nothing. Strangers can read the page that stands in for a sitemap, so its text names no
// page, client or cookie.
package messages

import (
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/servemap/servemap/internal/decide/eligibility"
)

// settings are the names in braces that a text may have, and what stands for each: where the owner
// uses the library, and where he uses the command. A name that begins with Or adds what only the
// library offers.
var settings = []struct{ name, library, command string }{
	{"Always", "an Always rule", "-always"},
	{"AlwaysThis", "servemap.Rule{Pattern: GO, List: servemap.DecisionAlways} in Options.Rules", "-always SHELL"},
	{"NeverThis", "servemap.Rule{Pattern: GO, List: servemap.DecisionNever} in Options.Rules", "-never SHELL"},
	{"PublicThis", "servemap.Rule{Pattern: GO, IgnoreCacheControl: true} in Options.Rules", "-public SHELL"},
	{"Anonymous", "Options.Anonymous", "the command"},
	{"OrAround", ", and put the site around all that writes them, with fiber as site.Wrap(adaptor.FiberApp(app))", ""},
	{"Benign", "Options.Benign", "-benign"},
	{"ClientIP", "Options.ClientIP", "-trusted-proxies"},
	{"Crawlers", "Options.Crawlers", "-crawlers"},
	{"Entries", "Options.Entries", "-entry"},
	{"Explain", "Site.Explain", `"servemap explain"`},
	{"Forget", "Site.Forget", `"servemap forget"`},
	{"Google", "Google.Client", "-google-token"},
	{"GoogleToken", "Google in the options of package notify", "-google-token"},
	{"Hosts", "Options.Hosts", "-hosts"},
	{"Inside", "ExploreOptions.Inside", "-inside"},
	{"KeepFor", "the time of Limits.KeepFor", "the time of -keep-for"},
	{"Link", "Site.InspectorLink", `"servemap link"`},
	{"Key", "Options.Key", "SERVEMAP_INDEXNOW_KEY"},
	{"Endpoints", "Options.Endpoints", "-indexnow-endpoint"},
	{"Max", "ExploreOptions.MaxRequests", "-max"},
	{"Never", "a Never rule", "-never"},
	{"Notify", "Package notify", "-indexnow"},
	{"OrAnonymous", ", or say in Options.Anonymous who is anonymous", ""},
	{"PerDay", "Options.MaxPerDay", "-indexnow-per-day"},
	{"Origin", "the origin", "-origin"},
	{"Public", "Rule.IgnoreCacheControl", "-public"},
	{"Query", "Options.Query", "-query"},
	{"ReportOnly", "Options.ReportOnly", "-report-only"},
	{"Robots", "Site.Robots", "-robots"},
	{"RobotsText", "Options.Robots", "robots-text in the file of -config"},
	{"Stripped", "Options.StrippedPrefix", "-stripped"},
	{"StrippedTo", "set Options.StrippedPrefix to", "give -stripped"},
	{"OrRoute", "a route for this page alone, which answers with a whole document (an html or a title element)", ""},
	{"Rules", "Options.Rules", "-never, -always, -public or -query"},
	{"UndoForget", "Site.UndoForget", `"servemap forget -undo"`},
	{"Stats", "Site.Stats", `"servemap status"`},
}

// MovedTo says what to do if the origin redirects to another one.
func MovedTo(origin string) string {
	return Say("if visitors go there, write {Origin} ") + origin
}

// Elsewhere says what to do if the origin does not lead to the process that explores. cut is what something in
// front cuts off the path, "" if that is not the cause.
func Elsewhere(cut string) string {
	if cut != "" {
		return Say("a server in front cuts " + cut + " off the path: {StrippedTo} " + cut)
	}
	return Say("so what strangers get is not known, and pages are learned from visitors. Correct {Origin}, or, if nothing in front keeps strangers from a page, give {Inside}")
}

// said replaces the names.
var said atomic.Pointer[strings.Replacer]

func init() { use(func(library, _ string) string { return library }) }

// UseFlags makes all texts of this process name the command's flags, in some words. The command calls it first of all.
func UseFlags(words func(string) string) {
	use(func(_, command string) string { return words(command) })
}

func use(choose func(library, command string) string) {
	var pairs []string
	for _, s := range settings {
		pairs = append(pairs, "{"+s.name+"}", choose(s.library, s.command))
	}
	said.Store(strings.NewReplacer(pairs...))
}

// always returns the rule that lists one location, as the owner can type it.
func always(location string) string { return rule("{AlwaysThis}", location) }

func rule(setting, location string) string {
	pattern := location + "$"
	shell := "'" + strings.ReplaceAll(pattern, "'", `'\''`) + "'"
	return strings.NewReplacer("GO", strconv.Quote(pattern), "SHELL", shell).Replace(Say(setting))
}

// Change is a setting that changes a verdict.
type Change struct {
	Does string `json:"does,omitempty"`
	Type string `json:"type,omitempty"` // as the owner types it
}

// Setting returns what the owner can type to change the verdict on a location, and what that does, "" if nothing does.
func Setting(location, verdict, reason string) (s Change) {
	switch why := ReasonNamed(reason).Reason; {
	case verdict == eligibility.Listed.String():
		s.Does, s.Type = "This keeps it out:", rule("{NeverThis}", location)
	case why == eligibility.Private || why == eligibility.NoStore:
		s.Does, s.Type = "This lists it although it says so:", rule("{PublicThis}", location)
	case verdict == eligibility.Waiting.String() || verdict == eligibility.Held.String() || why == eligibility.PasswordField || why == eligibility.Forgotten:
		s.Does, s.Type = "This lists it once an anonymous visitor gets it:", always(location)
	}
	const place = " in Options.Rules" // is no part of what is copied
	if typed, found := strings.CutSuffix(s.Type, place); found {
		s.Does, s.Type = strings.TrimSuffix(s.Does, ":")+","+place+":", typed
	}
	return s
}

// Parameters says which parameters keep linked pages out, and what to do about those that make pages. params are as
// in servemap.Exploration. names has the parameters.
func Parameters(params []string) (text string, names []string) {
	for _, p := range params { // such as "id,lang: 20 linked pages of /view"
		keys, _, _ := strings.Cut(p, ": ")
		names = append(names, strings.Split(keys, ",")...)
	}
	slices.Sort(names)
	return strings.Join(params, ", ") + Say("; those that make pages of their own, which name no other URL as canonical, go into {Query}, but none that only sorts or filters"),
		slices.Compact(names)
}

// Say returns a text with the names of settings in place of the names in braces.
func Say(text string) string { return said.Load().Replace(text) }
