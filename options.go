package servemap

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"regexp"
	"strings"
	"time"

	"github.com/servemap/servemap/internal/admin/messages"
	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/page/location"
	"github.com/servemap/servemap/internal/page/robots"
	"github.com/servemap/servemap/internal/page/sitemap"
	"github.com/servemap/servemap/internal/page/words"
	"github.com/servemap/servemap/internal/schema/extension"
)

// Options adjusts a [Site]. The zero value of each field is the default.
type Options struct {
	// Name is the sitemap's file name without ".xml"; by default "sitemap".
	Name string
	// Hosts are further hosts whose requests are observed, such as "www.example.com", with a port if that is not the
	// scheme's. The origin's is, and so is what a proxy nearby sends in its place: IP addresses, "localhost" and
	// other names of a single label.
	Hosts []string
	// StrippedPrefix is the beginning of the public path that a proxy removes before a request
	// arrives, such as "/blog". It must be the origin's folder or lead to it. Give the host's
	// robots.txt in Robots.
	StrippedPrefix string
	// Entries are the locations where visitors enter the site. From there the Site lists pages
	// along their links. By default they are the origin's folder, and where that redirects to.
	Entries []string
	// Query names further query parameters that make a page of its own, whatever their values, such as "id". "page"
	// does so anyway, with a number or a short word. A page with any other parameter is observed only under the
	// canonical URL it gives itself. A visit with well-known tracking parameters does not count, and links lose these.
	// See also Rule.Query.
	Query []string
	// Benign are names of cookies that the site gives to every visitor, so that who sends them
	// is still anonymous. A final "*" stands for any ending. A name with a colon, as in
	// "X-Edge-Node:", is that of a header that a proxy adds to all requests. Do not name what
	// also identifies a user. What well-known tools and proxies send is known already.
	Benign []string
	// Anonymous, if not nil, alone decides whether a request comes from an anonymous visitor.
	// Set it if a proxy adds credentials to every request. It must be quick and safe for
	// concurrent use. By default there must be no Authorization or certificate, and only
	// benign cookies and headers.
	Anonymous func(*http.Request) bool
	// ClientIP, if not nil, returns the address of the client, or the zero Addr if that is unknown. By it the DNS
	// confirms that a crawler is what it says, and guesses of a password are counted. Pages are learned without it. It
	// must be quick and safe for concurrent use, and must not believe a header that the client itself can send.
	// [Behind] makes one for known proxies. By default it is the peer's address.
	ClientIP func(*http.Request) netip.Addr
	// Rules decide for groups of locations whether they are listed, and what the sitemap
	// says of them.
	Rules []Rule
	// Robots is the text of the site's robots.txt, if this program does not serve it. What it
	// disallows for every crawler ("*") is not listed. By default the robots.txt that the Site
	// sees this program serve counts.
	Robots string

	// ReportOnly makes the Site learn and explain, and answer 503 in place of its sitemap.
	ReportOnly bool
	// Extensions selects what the sitemap says of pages beyond their addresses and dates.
	Extensions Extensions
	// Crawlers follows what search engines fetch, for [Site.Crawlers]. If a request claims to
	// be from an engine, the Site asks the DNS in the background whether the client's address
	// is the engine's, once an hour for each address. It takes some 2 MB of memory at most.
	Crawlers bool
	// CrawlerRanges is a folder with lists of addresses as engines publish them, each named after its
	// crawler, such as GPTBot.json. They confirm crawlers that have no names in the DNS. They are read
	// once. By default there are none, and such a crawler is what it claims to be.
	CrawlerRanges string
	// Limits are the numbers by which the site decides. The defaults suit most sites.
	Limits Limits
	// Logger receives hints and the store's troubles, each cause once. No request waits for
	// it. By default it is slog.Default.
	Logger *slog.Logger
}

// Limits are numbers by which a site decides. Each is the default if it is 0.
type Limits struct {
	// KeepFor is how long a listed page stays if no anonymous visitor gets it, or a listed page that links to it. Only
	// time in which the site is observed counts. The default is 90 days; the least an hour.
	KeepFor time.Duration
	// PartPages is the most pages of one file of the sitemap. The default is 50,000, and no
	// more are allowed.
	PartPages int
	// Looks is 0, or negative to keep the site from looking at its own pages. It looks where
	// one visitor's word would decide: what takes a page out or dates it anew, a new link, a
	// new robots.txt. A look is a GET of a page that a visitor just asked for, with nothing of
	// the visitor, in this process or as [Site.Explore] asked, at most once a minute and page,
	// one for a hundred observations and one a second. See [Exploring].
	Looks int
	// RenderEvery is the least time between two renderings of the sitemap. For as long, a page
	// that leaves may stay in it. Where processes share a store, each asks a third as often for
	// what the others have learned. The default is 5 seconds; the least is a millisecond.
	RenderEvery time.Duration
}

// Extensions are the extensions of the sitemap protocol that engines read. The Site learns
// them from the HTML of listed pages. Images and videos may be on other hosts. One is left
// out if its URL is signed or holds a token or an e-mail address, if its host is no public
// name, or if a rule or robots.txt keeps it out.
type Extensions struct {
	// Alternates adds a page's versions in other languages (hreflang), if both name each other
	// and are listed.
	Alternates bool
	// Images adds the images of a page's main content, 20 at most.
	Images bool
	// Videos adds the videos that a page describes by JSON-LD, 4 at most.
	Videos bool
	// News adds the file "sitemap-news.xml": the articles that JSON-LD says were published in
	// the last two days, the latest first, 1,000 at most. While there are none it answers 404.
	News bool
	// Publication is the name of the newspaper or site in that file, exactly as Google shows it
	// on news.google.com. By default each page gives it.
	Publication string
}

// set returns those that are switched on.
func (e Extensions) set() (on extension.Set) {
	for kind, is := range map[extension.Kind]bool{
		extension.Alternates: e.Alternates,
		extension.Images:     e.Images,
		extension.Videos:     e.Videos,
		extension.News:       e.News,
	} {
		if is {
			on |= extension.Of(kind)
		}
	}
	return on
}

// Rule decides something for the locations that a pattern matches. A field that is zero
// leaves it to rules with shorter patterns. At each start the rules also apply to the pages
// that are listed already.
type Rule struct {
	// Pattern is a pattern of robots.txt: the beginning of a location, in which
	// "*" stands for any characters, and "$" at the end for the end.
	Pattern string
	// List says whether the pages that match are listed. The longest pattern whose rule sets it
	// decides, and of patterns of one length Never before Auto before Always.
	List Decision
	// Query names further query parameters that make a page of its own, as Options.Query does
	// for the whole site. The pattern must have no "?". The parameters of all rules count.
	Query []string
	// IgnoreCacheControl makes the Site ignore "private" and "no-store" in Cache-Control, and
	// headers with that meaning, for programs that send them with every page. The pattern must
	// match no page that differs from one visitor to the next. Any rule can set it.
	IgnoreCacheControl bool
	// ChangeFreq is published in place of what is inferred: "always", "hourly", "daily",
	// "weekly", "monthly", "yearly" or "never". The longest pattern whose rule sets it decides.
	ChangeFreq string
	// Priority is published: 0.1, 0.2 and so on to 1. The longest pattern whose rule sets it decides. A page without
	// one has none in the sitemap.
	Priority float64
	// Section lists the pages in files of their own, as "blog" in sitemap-blog.xml, then sitemap-blog-2.xml, so that
	// Search Console counts them apart. The longest pattern whose rule sets it decides.
	Section string
}

// Decision says what decides whether a page is listed.
type Decision uint8

const (
	// DecisionUnset decides nothing. A rule with a shorter pattern does, or evidence.
	DecisionUnset Decision = iota
	// DecisionAuto lists a page when there is evidence that it is public. It makes an
	// exception from a rule with a shorter pattern.
	DecisionAuto
	// DecisionAlways lists a page once an anonymous visitor got it, unless the page itself or
	// robots.txt forbids that. If a route answers any path, it lists all that visitors request.
	DecisionAlways
	// DecisionNever keeps a page out, and takes it out if it is listed.
	DecisionNever
)

// settings are what the owner has set.
type settings struct {
	opts    Options // with the defaults
	origin  location.Origin
	norm    *location.Normalizer
	rules   eligibility.Rules
	robots  *robots.Rules // what Options.Robots says, nil if there is none
	entries []string
	path    string // of the folder of the sitemap's files, as requests arrive
}

// configure checks the settings, and fills in the defaults.
func (s *settings) configure(origin string) (err error) {
	opts := &s.opts
	if s.rules, err = compile(opts.Rules); err != nil {
		return err
	}
	if s.origin, err = location.ParseOrigin(origin); err != nil {
		return fmt.Errorf("%s %w", words.Say("{Origin}"), err)
	}
	s.norm, err = location.New(s.origin, location.Config{
		Hosts: opts.Hosts, StrippedPrefix: opts.StrippedPrefix, Params: opts.Query, More: s.rules.Query,
	})
	if err != nil {
		return err
	}
	stripped := strings.TrimSuffix(opts.StrippedPrefix, "/")
	var below bool
	if s.path, below = strings.CutPrefix(s.origin.Folder(), stripped); !below || !strings.HasPrefix(s.path, "/") {
		return fmt.Errorf(words.Say("{Stripped} %q does not lead to the origin's folder %q, so the sitemap could not be reached; write the origin as %q"),
			opts.StrippedPrefix, s.origin.Folder(), s.origin.URL(stripped))
	}
	opts.Name, opts.Logger = cmp.Or(opts.Name, "sitemap"), cmp.Or(opts.Logger, slog.Default())
	if !fileName.MatchString(opts.Name) || strings.HasSuffix(opts.Name, ".xml") || strings.HasSuffix(opts.Name, ".gz") {
		return fmt.Errorf(words.Say(`{Name} %q must be of letters, digits, "-", "_" and ".", without ".xml", such as "sitemap"`), opts.Name)
	}
	if err := cmp.Or(opts.Limits.check(), checkPublication(opts.Extensions), checkBenign(opts.Benign), checkFolder(s.origin, opts.Rules)); err != nil {
		return err
	}
	if s.entries, err = locateEntries(s.norm, opts.Entries); err != nil {
		return err
	}
	s.robots, err = parseRobots(opts.Robots)
	return err
}

var fileName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$`)

// check refuses limits out of bounds, and fills in the defaults. A time that is far too short
// is probably a number without its unit.
func (l *Limits) check() error {
	l.KeepFor, l.RenderEvery = cmp.Or(l.KeepFor, 90*24*time.Hour), cmp.Or(l.RenderEvery, 5*time.Second)
	switch {
	case l.KeepFor < time.Hour:
		return fmt.Errorf(words.Say("{KeepFor} is %v; it must be at least 1h{OrZero}"), l.KeepFor)
	case l.RenderEvery < time.Millisecond:
		return fmt.Errorf(words.Say("{RenderEvery} is %v; it must be at least 1ms{OrZero}"), l.RenderEvery)
	case l.PartPages < 0 || l.PartPages > sitemap.MaxURLs:
		return fmt.Errorf(words.Say("{PartPages} is %d; it must be from 1 to %d{OrZero}"), l.PartPages, sitemap.MaxURLs)
	}
	return nil
}

func checkPublication(e Extensions) error {
	switch name := e.Publication; {
	case len(name) > extension.MaxPublication, name != "" && strings.TrimSpace(name) == "":
		return fmt.Errorf(words.Say("{Publication} %q must have from 1 to %d bytes"), name, extension.MaxPublication)
	case name != "" && !e.News:
		return fmt.Errorf(words.Say("{Publication} %q is only used in the file that {News} adds; set that too"), name)
	}
	return nil
}

func checkBenign(names []string) error {
	for _, name := range names {
		header := strings.TrimSuffix(name, ":")
		if strings.Trim(header, "*") == "" || strings.ContainsAny(header, " \t=;,:") || strings.Contains(strings.TrimSuffix(name, "*"), "*") {
			return fmt.Errorf(`%s: %q is no name of a cookie or header; name each alone, without its value, such as "theme" or "X-Edge-Node:", and a "*" only at the end of a cookie's`,
				words.Say("{Benign}"), name)
		}
	}
	return nil
}

// parseRobots reads the robots.txt that the owner gives, nil for none.
func parseRobots(text string) (*robots.Rules, error) {
	if text == "" {
		return nil, nil
	}
	if !strings.Contains(strings.ToLower(text), "user-agent:") {
		return nil, errors.New(words.Say(`{RobotsText} has no line that begins with "User-agent:"; it must be the text of a robots.txt`))
	}
	return cmp.Or(robots.Parse([]byte(text)), new(robots.Rules)), nil // never nil, so that the robots.txt that is served does not count
}

func compile(rules []Rule) (eligibility.Rules, error) {
	compiled := make([]eligibility.Rule, len(rules))
	for i, r := range rules {
		compiled[i] = eligibility.Rule{
			Pattern: r.Pattern, Listing: eligibility.Listing(r.List), Query: r.Query, ChangeFreq: r.ChangeFreq, Priority: r.Priority, Section: r.Section,
			IgnoreCacheControl: r.IgnoreCacheControl,
		}
	}
	set, err := eligibility.NewRules(compiled)
	if err != nil {
		return set, fmt.Errorf("%s: %w", words.Say("{Rules}"), err)
	}
	return set, nil
}

// checkFolder refuses rules that can match nothing in the folder of the origin, since a
// sitemap lists only pages in its own folder.
func checkFolder(origin location.Origin, rules []Rule) error {
	folder := origin.Folder()
	for i, r := range rules {
		start, _, _ := strings.Cut(r.Pattern, "*")
		start = strings.TrimSuffix(start, "$")
		if strings.Contains(start+folder, "%") || strings.HasPrefix(start, folder) || strings.HasPrefix(folder, start) {
			continue // it matches, or may match: a percent sign may spell the folder in another way
		}
		why := fmt.Errorf("matches nothing in %q, the folder of the origin %s, and a sitemap can only list "+
			"what is in its own folder; begin it with that, or give the origin as the whole host", folder, origin)
		return fmt.Errorf("%s: %w", words.Say("{Rules}"), &eligibility.RuleError{Index: i, Pattern: r.Pattern, Err: why})
	}
	return nil
}

// locateEntries returns the locations of the entries, by default the folder's own.
func locateEntries(norm *location.Normalizer, given []string) ([]string, error) {
	if len(given) == 0 {
		given = []string{norm.Origin().Folder()}
	}
	entries := make([]string, len(given))
	for i, e := range given {
		r := norm.Parse(e)
		if r.OwnQuery || r.Reason != location.ReasonNone {
			return nil, fmt.Errorf(words.Say("{Entries}: %q cannot be listed: %s; name a location of the site, such as %q, and its parameters in {Query}"), e, messages.ReasonNamed(eligibility.OfAddress(r.Reason).String()).Why, norm.Origin().Folder())
		}
		entries[i] = r.Location
	}
	return entries, nil
}
