package pages

import (
	"cmp"
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"github.com/servemap/servemap/cmd/servemap/internal/check/address"
	"github.com/servemap/servemap/cmd/servemap/internal/check/listing"
	"github.com/servemap/servemap/cmd/servemap/internal/check/report"
	"github.com/servemap/servemap/internal/decide/action"
	"github.com/servemap/servemap/internal/decide/capability"
	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/page/location"
)

// secret matches what may be one in an address: a name, and a parameter for one.
var secret = regexp.MustCompile(`(?i)(?:token|secret|signature)=[^&]+|[\w-]{8,}`)

// keyed matches a parameter that is named after the secret that it has, and shown what is left of a secret, with the
// name of its parameter: both stand as an id below a word.
var (
	keyed = regexp.MustCompile(`(?i)[?&][^=&]*(?:token|secret|signature)=[^&]`)
	shown = regexp.MustCompile(`(?:[?&][^=&/]*=|/)?[\w-]{0,4}…`)
)

// Secret returns an address with what looks like a secret in it cut short, "" for none. The session of a visitor is
// another fault.
func Secret(loc string) string {
	if u, err := url.Parse(loc); err == nil && location.IsSession(address.Tracking(u)) {
		return ""
	}
	return cut(loc, report.Secretly)
}

// Masked returns an address with what may be a secret in it cut short, however short that is.
func Masked(loc string) string { return cmp.Or(cut(loc, 0), loc) }

// cut is Secret for names that are so long at least.
func cut(loc string, least int) string {
	site, rest, _ := strings.Cut(address.BareOf(loc), "://")
	host, rest, _ := strings.Cut(rest, "/")
	short := secret.ReplaceAllStringFunc(rest, func(name string) string {
		if value := strings.IndexByte(name, '=') + 1; value > 0 || len(name) >= least && capability.Looks("/"+name) {
			return name[:value] + name[value:][:min(4, len(name)-value)] + "…"
		}
		return name
	})
	if short == rest {
		return ""
	}
	return site + "://" + host + "/" + short
}

var (
	// never matches what no site means for anybody: files with passwords, and the folders of version control and keys.
	never = regexp.MustCompile(`(?i)/(?:\.(?:env(?:\.(?:local|prod\w*|dev\w*|stag\w*|test|bak|old))?|` +
		`ht(?:access|passwd|digest)|npmrc|netrc|pgpass|my\.cnf|bash_history)|wp-config\.[\w.~-]+|` +
		`\.(?:git|svn|hg|bzr|aws|ssh|kube|docker|gnupg)/.+)$`)
	// dump matches what may be a copy or a dump by mistake, or sample data for everybody.
	dump = regexp.MustCompile(`(?i)\.(?:bak|dump|env|old|sql|sqlite3?|swp)(?:\.(?:gz|zip))?$`)
	// secretKey matches the text of a private key. Other keys and certificates are for everybody.
	secretKey = regexp.MustCompile(`^\s*-----BEGIN (?s:[A-Z0-9 ]+-----.*-----BEGIN )?[A-Z0-9 ]*PRIVATE KEY`)
)

// Exposed returns the kind of what is found where anybody gets a file that only an owner should see, and says it; ""
// for nothing. That a page links there says that it is meant, but for what no site means. check and crawl both ask it,
// however they found the address.
func (p *Page) Exposed() (kind, says string) { return p.exposed.kind, p.exposed.text }

// expose notes what Exposed returns. typ is how the file is sent: a feed below a tag that is named .git is none of
// that.
func (p *Page) expose(typ string) {
	path, _, _ := strings.Cut(locationOf(p.Entry.Loc), "?")
	switch {
	case p.HTML || p.is("source"):
	case secretKey.Match(p.Body):
		p.exposed = told{kind: "secret", text: "is a private key, and answers anybody"}
	case never.MatchString(path) && !markup.MatchString(typ):
		p.exposed = told{kind: "secret", text: "has a name of what only an owner should see, and answers anybody with a file"}
	case dump.MatchString(path):
		p.exposed = told{kind: "dump", text: "has a name as a copy or a dump has, and answers anybody with a file"}
	}
}

// Hidden says why an address without a link may be for few, "" for nothing. It returns the address with a secret cut
// short; secret says that it has one.
func Hidden(loc string, secret bool) (short, why string) {
	at := locationOf(loc)
	path, _, _ := strings.Cut(at, "?")
	word, acts := action.Word(path[strings.LastIndexByte(path, '/'):]) // many names are a verb beside a number, as /switch/2
	switch {
	case acts:
		return Masked(loc), fmt.Sprintf("has a word for something to do (%s)", word)
	case eligibility.Office(at):
		return loc, "has a name of what only an owner should see"
	case secret:
		return Masked(loc), "has what looks like a secret in its address"
	}
	return loc, ""
}

// locationOf returns an address without its site.
func locationOf(loc string) string {
	_, rest, _ := strings.Cut(loc, "://")
	_, rest, _ = strings.Cut(rest, "/")
	return "/" + rest
}

// ForFew returns what tells whether an address has what looks like a secret of a page for few: listed addresses of its
// folder that do are exceptions on the site, and no link leads to one.
func ForFew(listed []listing.Entry, linked func(loc string) bool) func(loc string) bool {
	is := func(loc string) bool { return Looks(loc) || keyed.MatchString(locationOf(loc)) }
	in := map[string]int{}
	for _, e := range listed {
		if folder := folderOf(Masked(e.Loc)); is(e.Loc) && linked(e.Loc) {
			in[folder] = len(listed)
		} else if is(e.Loc) {
			in[folder]++
		}
	}
	return func(loc string) bool { return is(loc) && Few(in[folderOf(Masked(loc))], len(listed)) }
}

// Guarded reports whether an address has what looks like a secret, or names what only an owner should see.
func Guarded(loc string) bool {
	return Secret(loc) != "" || never.MatchString(locationOf(loc)) || dump.MatchString(locationOf(loc))
}

// Looks reports whether an address has what may be a secret, however short. It is one where no page links there.
func Looks(loc string) bool { return capability.Looks(locationOf(loc)) }

// FewOf reports whether the addresses of a kind are exceptions on a site.
func FewOf(listed []listing.Entry, is func(loc string) bool) bool {
	n := 0
	for _, e := range listed {
		if is(e.Loc) {
			n++
		}
	}
	return Few(n, len(listed))
}

// private matches what a response for one visitor says.
var private = regexp.MustCompile(`(?i)(?:^|[,\s])private(?:$|[,\s])`)

// Few reports whether so many of some are exceptions. What more are like is how the site's program sends or names all.
func Few(n, of int) bool { return n > 0 && 4*n <= of }

// LooksPrivate tells of listed pages that look as if they were for one visitor, and returns these by their key. all are
// those that were read. guess says that no crawl follows, which knows whether a link leads there.
func LooksPrivate(listed []listing.Entry, all []*Page, guess bool, to *report.Report) map[string]bool {
	asked, sent, read, is := map[string]*Page{}, 0, 0, map[string]bool{}
	for _, p := range all {
		if asked[p.Entry.Loc] = p; p.Read {
			read++
		}
		if p.Private {
			sent++
		}
	}
	secrets := FewOf(listed, func(loc string) bool { return Secret(loc) != "" })
	linked := secretsLinked(all)
	for _, e := range listed {
		p, short, at := asked[e.Loc], Secret(e.Loc), e.At()
		switch named := keyed.MatchString(locationOf(e.Loc)); {
		case p != nil && p.exposed.kind != "":
			to.Add(p.exposed.kind, at, "%s", p.exposed.text)
		case p != nil && named && p.Told() && p.told[0].kind == "canonical": // to name itself would spread the secret
			at.Where = Masked(e.Loc)
			to.Add("private", at, "has what looks like a secret in its address, and names another page as canonical")
		case p != nil && (!p.Read || p.Told()):
			continue
		case short != "" && secrets && (named || !linked[folderOf(short)]):
			kind, why := "private", ", as a page has that one person got a link to"
			word, acts := action.Word(shown.ReplaceAllString(locationOf(short), "/1"))
			switch sure := p != nil && !title.MatchString(locationOf(e.Loc)); {
			case sure && named:
				kind = "secret"
			case sure && acts:
				kind, why = "secret", fmt.Sprintf(", below a word for something to do (%s), and answers anybody", word)
			case !guess:
				continue
			}
			at.Where = short
			to.Add(kind, at, "has what looks like a secret in its address%s", why)
		case p != nil && p.Private && Few(sent, read):
			to.Add("private", at, "is sent as private (Cache-Control), which the other pages are not")
		default:
			continue
		}
		if is[address.KeyOf(e.Loc)] = true; p != nil {
			p.quiet = true
		}
	}
	return is
}

// title matches two words of a title in an address, as articles have them before an id. A secret has none.
var title = regexp.MustCompile(`[/_-][a-z]{2,}[_-][a-z]{3,}[_-]`)

// secretsLinked returns the folders of those addresses with secrets to which other pages link: what is there is for
// everybody.
func secretsLinked(all []*Page) map[string]bool {
	folders := map[string]bool{}
	for _, p := range all {
		for key := range p.links { // it may name itself
			if key != address.BareOf(p.Entry.Loc) && Secret(p.Entry.Loc) == "" && Secret(key) != "" {
				folders[folderOf(Secret(key))] = true
			}
		}
	}
	return folders
}

// folderOf returns what stands before the secret in an address that is cut short.
func folderOf(short string) string {
	before, _, _ := strings.Cut(short, "…")
	return before[:strings.LastIndexByte(before, '/')+1]
}
