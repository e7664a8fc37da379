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

// settings has the names in braces that a text may have, and what the text says in place of each: to who uses the
// library, and to who uses the command. In the latter, a name with a hyphen is a setting of the command. A name that
// begins with Or adds what only the library offers.
var settings = map[string]struct{ library, command string }{
	"Always":      {"an Always rule", "{-always}"},
	"AlwaysThis":  {"servemap.Rule{Pattern: VALUE, List: servemap.DecisionAlways} in Options.Rules", "{-always}"},
	"Anonymous":   {"Options.Anonymous", "the command"},
	"Benign":      {"Options.Benign", "{-benign}"},
	"ClientIP":    {"Options.ClientIP", "{-trusted-proxies}"},
	"Crawlers":    {"Options.Crawlers", "{-crawlers}"},
	"Endpoint":    {"Options.Endpoint", "{-indexnow-endpoint}"},
	"Entries":     {"Options.Entries", "{-entry}"},
	"Explain":     {"Site.Explain", `"servemap explain"`},
	"Forget":      {"Site.Forget", `"servemap forget"`},
	"Google":      {"Google.Client", "{-google-token}"},
	"GoogleToken": {"Google in the options of package notify", "{-google-token}"},
	"Hosts":       {"Options.Hosts", "{-hosts}"},
	"Inside":      {"ExploreOptions.Inside", "{-inside}"},
	"KeepFor":     {"Limits.KeepFor", "{-keep-for}"},
	"Key":         {"Options.Key", "SERVEMAP_INDEXNOW_KEY"},
	"Link":        {"Site.InspectorLink", `"servemap link"`},
	"Max":         {"ExploreOptions.MaxRequests", "{-max}"},
	"Name":        {"Options.Name", "{-name}"},
	"Never":       {"a Never rule", "{-never}"},
	"NeverThis":   {"servemap.Rule{Pattern: VALUE, List: servemap.DecisionNever} in Options.Rules", "{-never}"},
	"News":        {"Extensions.News", "{-news}"},
	"Notify":      {"Package notify", "{-indexnow}"},
	"OrAnonymous": {", or say in Options.Anonymous who is anonymous", ""},
	"OrAround":    {", and put the site around all that writes them, with fiber as site.Wrap(adaptor.FiberApp(app))", ""},
	"OrRoute":     {"a route for this page alone, which answers with a whole document (an html or a title element)", ""},
	"OrZero":      {", or 0 for the default", ""},
	"Origin":      {"the origin", "{-origin}"},
	"PartPages":   {"Limits.PartPages", "{-part-pages}"},
	"PerDay":      {"Options.MaxPerDay", "{-indexnow-per-day}"},
	"Public":      {"Rule.IgnoreCacheControl", "{-public}"},
	"PublicThis":  {"servemap.Rule{Pattern: VALUE, IgnoreCacheControl: true} in Options.Rules", "{-public}"},
	"Publication": {"Extensions.Publication", "{-publication}"},
	"Query":       {"Options.Query", "{-query}"},
	"Ranges":      {"Options.CrawlerRanges", "{-crawler-ranges}"},
	"RenderEvery": {"Limits.RenderEvery", "{-render-every}"},
	"ReportOnly":  {"Options.ReportOnly", "{-report-only}"},
	"Reserve":     {"Options.Reserve", "{-reserve}"},
	"Robots":      {"Site.Robots", "{-robots}"},
	"RobotsText":  {"Options.Robots", "robots-text in the file of -config"},
	"Rules":       {"Options.Rules", "{-never}, {-always}, {-public} or {-query}"},
	"Stats":       {"Site.Stats", `"servemap status"`},
	"Stripped":    {"Options.StrippedPrefix", "{-stripped}"},
	"StrippedTo":  {"set Options.StrippedPrefix to", "give {-stripped}"},
	"Table":       {"Options.Table", "{-table}"},
	"UndoForget":  {"Site.UndoForget", `"servemap forget -undo"`},
}

// Style is how the owner writes settings.
type Style int32

// The styles. What a process says is in that of the library, unless it uses another.
const (
	Library   Style = iota // Options.Query
	Flags                  // -query id, of the command
	Keys                   // query = ["id"], in the file of the command
	Caddyfile              // query id, where Caddy has such a line
)

var used atomic.Int32

// Use makes all texts of this process have this style. The command and the module of Caddy call it first of all.
func Use(s Style) { used.Store(int32(s)) }

// inCaddyfile matches what the command has and Caddy too.
var inCaddyfile = regexp.MustCompile(`^((, | or )?\{-(always|benign|never|public|query|robots)\})+$`)

// named is a name in braces, and maybe a value.
var named = regexp.MustCompile(`\{(-?)([A-Za-z-]+)(?:=([^{}]+))?\}`)

// Say returns a text with the names of settings in place of the names in braces: {Hosts} for an option of the library,
// {-to} for a setting that only the command has, and {-to=http://localhost:3000} for one with its value.
func Say(text string) string {
	return named.ReplaceAllStringFunc(text, func(braced string) string {
		parts := named.FindStringSubmatch(braced)
		own, name, value := parts[1] != "", parts[2], parts[3]
		is, known := settings[name]
		switch style := Style(used.Load()); {
		case own && style == Flags:
			return strings.TrimSpace("-" + name + " " + value)
		case own && value != "":
			return fmt.Sprintf("%s = %q", name, value)
		case own:
			return name
		case !known:
			return braced
		case style == Library || style == Caddyfile && !inCaddyfile.MatchString(is.command):
			return is.library
		}
		return Say(is.command)
	})
}

// plain are values that a shell leaves as they are.
var plain = regexp.MustCompile(`^[A-Za-z0-9/_.,:-]+$`)

// Typed returns a setting, such as "{Query}", with values that it takes, as the owner types it.
func Typed(setting string, values ...string) string {
	name, text := Say(setting), strings.Join(values, ",")
	switch Style(used.Load()) {
	case Flags:
		if !plain.MatchString(text) {
			text = "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
		}
		return name + " " + text
	case Keys:
		quoted := make([]string, len(values))
		for i, v := range values {
			quoted[i] = strconv.Quote(v)
		}
		return name + " = [" + strings.Join(quoted, ", ") + "]"
	case Caddyfile:
		return name + " " + strings.Join(values, " ")
	}
	return strings.Replace(name, "VALUE", strconv.Quote(text), 1)
}
