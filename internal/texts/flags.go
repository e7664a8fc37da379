package texts

import "strings"

// KeyVariable is the environment variable with the key of the command's -indexnow. The key is
// not a flag, because everybody on the machine may read the flags of a process.
const KeyVariable = "SERVEMAP_INDEXNOW_KEY"

// InFlags returns a text of the library as the command says it: with flags for options.
func InFlags(text string) string { return flags.Replace(text) }

// MissingInFlags says what would list a page. It is "" for a route, since the command sees no
// router.
func MissingInFlags(text string) string {
	if strings.HasPrefix(text, "a route ") {
		return ""
	}
	return InFlags(text)
}

// flags translates the library's options into the command's flags. Of texts that begin alike
// the longer one comes first.
var flags = strings.NewReplacer(
	"set Rule.IgnoreCacheControl for the others", "give -public for the others, such as -public /",
	"set Rule.IgnoreCacheControl for them", "give -public for them, such as -public /",
	"set Rule.IgnoreCacheControl", "give -public",
	"Rule.IgnoreCacheControl", "-public",
	"Options.Query or Rule.Query", "-query",
	"Options.Query", "-query",
	"further Options.Entries", "further pages by -entry",
	"Options.Entries", "-entry",
	"options: Entries", "-entry",
	"options: Rules: rule", "-never, -always or -public: number",
	"Options.BenignCookies", "-cookie",
	"Options.ReportOnly is set", "-report-only is given",
	"Set Options.Crawlers", "Give -crawlers",
	"return the visitor's address in Options.ClientIP", "name the proxies in -trusted-proxies",
	"Options.ClientIP", "-trusted-proxies",
	"say in Options.Anonymous which requests are anonymous", "have it leave that out",
	"Options.Anonymous decides who is anonymous", "such a visitor is not anonymous",
	"Options.Anonymous", "the command",
	"Correct the origin, or name your hosts in Options.Hosts", "Correct -origin",
	"name it in Options.Hosts", "correct -origin",
	", or set Options.StrippedPrefix to what a proxy cuts off", "",
	"for the time of Options.Limits.KeepFor", "for 90 days", "for the time of Limits.KeepFor", "for 90 days",
	"Options.Limits.Confidence asks for", "not",
	", or lower Options.Reserve", "",
	"within Options.Timeout, which is", "within",
	"A rule says Always.", "-always names them.", "A rule says Never.", "-never names them.", "An Always rule", "-always",
	"A rule that says Always", "-always", "a rule that says Always", "-always", "a rule says Always", "-always names it",
	"write an Always rule", "give -always", "an Always rule", "-always", "a rule says Never", "-never says so",
	"options: Endpoints", "-indexnow",
	"options: Hold", "-indexnow-hold",
	"options: Key", KeyVariable, "Options.Key", KeyVariable,
	" (Options.MaxPerDay)", "",
	"start the notifier only where", "give -indexnow only where",
	"let Wrap stand in front of all else, and let", "let",
	"see that Wrap stands in front of all else, and that", "see that",
	"Site.RobotsLine returns it.", "-robots serves it there.",
	"Site.Forget", `"servemap forget"`, "Site.Explain", `"servemap explain"`, "Stats().Verdicts", `"servemap stats"`,
	" servemap has seen no route since the start: most routers show their routes only to what runs inside them. See Site.Observe.", "",
	"; servemap has seen no route yet, see Site.Observe", "",
	" a route for this page alone;", "",
	"Put servemap inside the middleware that compresses, or compress", "Compress",
	"Put servemap inside the middleware that compresses.", "Compress with gzip, deflate, br or zstd.",
	"put servemap inside the middleware that compresses", "compress with gzip, deflate, br or zstd",
	"Put the site around all that writes pages, with fiber as site.Wrap(adaptor.FiberApp(app))", "See what the site answers",
)
