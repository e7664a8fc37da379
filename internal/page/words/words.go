// Package words has what each setting is called: as an option of the library, as a flag of the command, as a key of its
// file, and as a line of a Caddyfile. Every text and error asks here, so that the owner reads what he writes.
package words

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
)

// said is what a setting is called in each style. For the command, {-name} is a setting that it has.
type said struct{ option, flag, caddy string }

// none stands where a style has no such setting. A text that may be read in that style must not need the name: it uses
// only names that begin with Or, which add what some styles offer.
const none = ""

// settings has the names in braces that a text may have, and what the text says in place of each.
var settings = map[string]said{
	"Always": {"an Always rule", "{-always}", "always"},
	"AlwaysThis": {"servemap.Rule{Pattern: VALUE, List: servemap.DecisionAlways} in Options.Rules", "{-always}",
		"always"},
	"Anonymous":   {"Options.Anonymous", "the command", "the module"},
	"Asks":        {"the inspector", `"servemap status"`, "the inspector"},
	"Benign":      {"Options.Benign", "{-benign}", "benign"},
	"ClientIP":    {"Options.ClientIP", "{-trusted-proxies}", "trusted_proxies, a global option of Caddy"},
	"Crawlers":    {"Options.Crawlers", "{-crawlers}", none},
	"Endpoint":    {"Options.Endpoint", "{-indexnow-endpoint}", none},
	"Entries":     {"Options.Entries", "{-entry}", "entry"},
	"Explain":     {"Site.Explain", `"servemap explain"`, "the inspector's search"},
	"Explore":     {"go site.Explore(ctx, &servemap.ExploreOptions{Revisit: 1000})", "{-explore}", "explore"},
	"Google":      {"Google.Client", "{-google-token}", none},
	"GoogleToken": {"Google in the options of package notify", "{-google-token}", none},
	"Forget":      {"Site.Forget", `"servemap forget"`, "the inspector"},
	"Hosts":       {"Options.Hosts", "{-hosts}", "hosts"},
	"Inside":      {"ExploreOptions.Inside", "{-inside}", "inside"},
	"InsideThis":  {"set ExploreOptions.Inside to your handler", "give {-inside}", "write `inside`"},
	"KeepFor":     {"Limits.KeepFor", "{-keep-for}", "90 days"},
	"Key":         {"Options.Key", "SERVEMAP_INDEXNOW_KEY", none},
	"Link":        {"Site.InspectorLink", `"servemap link"`, "the log"},
	"Max":         {"ExploreOptions.MaxRequests", "{-max}", "max"},
	"Name":        {"Options.Name", "{-name}", "the name of the sitemap"},
	"Never":       {"a Never rule", "{-never}", "never"},
	"NeverThis":   {"servemap.Rule{Pattern: VALUE, List: servemap.DecisionNever} in Options.Rules", "{-never}", "never"},
	"News":        {"Extensions.News", "{-news}", none},
	"Notify":      {"package notify", "{-indexnow} and {-google-token}", none},
	"OrAnonymous": {", or say in Options.Anonymous who is anonymous", none, none},
	"OrAround": {", and put the site around all that writes them, with fiber as site.Wrap(adaptor.FiberApp(app))", none,
		none},
	"OrCrawlers": {"Set Options.Crawlers to see who came, and when.", "Set {-crawlers} to see who came, and when.", none},
	"OrGoogle": {"Set Google in the options of package notify to submit the sitemap and to read what Google says.",
		"Set {-google-token} to submit the sitemap and to read what Google says.", none},
	"OrMount": {", with gorilla/mux by calling site.Mount(r) before that r.Use, with others by putting site.Wrap around " +
		"it", none, none},
	"OrNotify": {"Package notify tells Bing, Yandex, Seznam, Naver, Yep and Amazon what changed.",
		"{-indexnow} tells Bing, Yandex, Seznam, Naver, Yep and Amazon what changed.", none},
	"OrReserve": {", or lower Options.Reserve", ", or lower {-reserve}", none},
	"OrRobots": {", or give its text in Options.Robots", ", or give its text in robots-text in the file of servemap run",
		none},
	"OrRoute": {"a route for this page alone that answers with a whole document (<html> or <title>), and has no form that leads back to it, as a search has", none, none},
	"OrWhole": {" A route for this page alone shows it too, if it answers with a whole document (<html> or " +
		"<title>), and has no form that leads back to it, as a search has.", none, none},
	"OrZero":      {", or 0 for the default", none, none},
	"Origin":      {"the origin", "{-origin}", "the origin"},
	"PartPages":   {"Limits.PartPages", "{-part-pages}", none},
	"PerDay":      {"Options.MaxPerDay", "{-indexnow-per-day}", none},
	"Public":      {"Rule.IgnoreCacheControl", "{-public}", "public"},
	"PublicThis":  {"servemap.Rule{Pattern: VALUE, IgnoreCacheControl: true} in Options.Rules", "{-public}", "public"},
	"Publication": {"Extensions.Publication", "{-publication}", none},
	"Query":       {"Options.Query", "{-query}", "query"},
	"Ranges":      {"Options.CrawlerRanges", "{-crawler-ranges}", none},
	"RenderEvery": {"Limits.RenderEvery", "{-render-every}", none},
	"ReportOnly":  {"Options.ReportOnly", "{-report-only}", "report-only"},
	"Reserve":     {"Options.Reserve", "{-reserve}", none},
	"Robots":      {"Site.Robots", "{-robots}", "robots"},
	"RobotsText":  {"Options.Robots", "robots-text in the file of servemap run", none},
	"Rules": {"Options.Rules", "{-never}, {-always}, {-public} or {-query}",
		"`never`, `always`, `public` or `query`"},
	"Shared": {"a store that processes can share, such as sqlstore", "{-database}",
		"the command servemap, with a database"},
	"Sitemaps":   {"ExploreOptions.Sitemaps", "{-sitemap}", "sitemap"},
	"Stats":      {"Site.Stats", `"servemap status"`, "the inspector"},
	"Stripped":   {"Options.StrippedPrefix", "{-stripped}", "stripped"},
	"StrippedTo": {"set Options.StrippedPrefix to", "give {-stripped}", "write stripped"},
	"Table":      {"Options.Table", "{-table}", none},
	"UndoForget": {"Site.UndoForget", `"servemap forget -undo"`, "the inspector"},
}

// Style is how the owner writes settings.
type Style int32

// The styles. A process speaks of Options, unless it calls Use.
const (
	Options   Style = iota // Options.Query, in a Go program
	Flags                  // -query id, of the command
	Keys                   // `query`, and query = ['id'], in the file of the command
	Caddyfile              // `query`, and query id, where Caddy has such a line
)

var used atomic.Int32

// Use makes all texts of this process have this style. The command and the module of Caddy call it first of all.
func Use(s Style) { used.Store(int32(s)) }

// Used returns the style of this process.
func Used() Style { return Style(used.Load()) }

// named is a name in braces, and maybe a value.
var named = regexp.MustCompile(`\{(-?)([A-Za-z-]+)(?:=([^{}]+))?\}`)

// bare is the name of a setting that looks like any other word: "never names it" would tell of no setting.
var bare = regexp.MustCompile(`^[a-z-]+$`)

// Say returns a text with the names of settings in place of the names in braces: {Hosts} for an option of the library,
// {-to} for a setting that only the command has, and {-to=http://localhost:3000} for one with its value. A name that
// could be any word of the sentence is between `.
func Say(text string) string { return say(text, "`") }

func say(text, quote string) string {
	return named.ReplaceAllStringFunc(text, func(braced string) string {
		parts := named.FindStringSubmatch(braced)
		own, name, value := parts[1] != "", parts[2], parts[3]
		is, known := settings[name]
		switch style := Used(); {
		case own && style == Flags:
			return strings.TrimSpace("-" + name + " " + value)
		case own && value != "":
			return fmt.Sprintf("%s = %q", name, value)
		case own:
			return quote + name + quote
		case !known:
			return braced
		case style == Options:
			return is.option
		case style == Caddyfile && bare.MatchString(is.caddy):
			return quote + is.caddy + quote
		case style == Caddyfile:
			return is.caddy
		}
		return say(is.flag, quote)
	})
}

// plain are values that a shell leaves as they are.
var plain = regexp.MustCompile(`^[A-Za-z0-9/_.,:-]+$`)

// Typed returns a setting, such as "{Query}", with values that it takes, as the owner types it.
func Typed(setting string, values ...string) string {
	name, text := say(setting, ""), strings.Join(values, ",")
	switch Used() {
	case Flags:
		if !plain.MatchString(text) {
			text = "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
		}
		return name + " " + text
	case Keys: // single quotes, as a log in text escapes the others
		quoted := make([]string, len(values))
		for i, v := range values {
			if quoted[i] = "'" + v + "'"; strings.Contains(v, "'") {
				quoted[i] = strconv.Quote(v)
			}
		}
		return name + " = [" + strings.Join(quoted, ", ") + "]"
	case Caddyfile:
		return name + " " + strings.Join(values, " ")
	}
	return strings.Replace(name, "VALUE", strconv.Quote(text), 1)
}
