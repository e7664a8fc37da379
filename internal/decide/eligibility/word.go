package eligibility

import (
	_ "embed"
	"net/url"
	"strings"
	"unicode"

	"github.com/servemap/servemap/internal/decide/action"
	"github.com/servemap/servemap/internal/decide/capability"
)

// Word says what a location's own words suggest about its page.
type Word uint8

// The kinds of word, the worst last.
const (
	Plain  Word = iota // nothing
	Risky              // it names something that is often for one person, or for the site's own use
	Secret             // it looks like a capability, which lets in whoever knows it
	Action             // a request for it changes something
)

// riskyNames are segments, without their extension, of pages that no visitor looks for: answers to
// errors and forms, parts of other pages, and the back office. A route of its own does not get such
// a page listed. A link does, since some sites have a public page of that name.
var riskyNames = words(
	"400 401 403 404 405 408 410 429 500 501 502 503 504 50x 404-error 500-error error error-404 error-500 error-page errors " +
		"access-denied internal-server-error maintenance not-found notfound offline page-not-found server-error unavailable " +
		"cancelled failed failure logged-out loggedout signed-out signedout success thank-you thanks thankyou unsubscribed " +
		"ajax embed embeds footer fragment fragments header htmx iframe iframes modal modals nav navbar partial partials pjax sidebar widget widgets " +
		"adminer back-office backend backoffice backup backups config configuration customers dashboard dashboards export exports " +
		"intranet log logs monitoring phpinfo phpmyadmin server-info server-status staff upload uploads")

// riskyWords are words of pages that are often for one person, or for the owner alone. WordIn looks
// for them among the words of each segment. A false alarm costs little: a link from a listed page
// outweighs it.
var riskyWords = words(
	"2fa account accounts admin administrator activate activation actuator approve auth authenticate authentication authorize authorise " +
		"billing booking bookings claim confirm confirmation confirmed console debug draft drafts " +
		"forgot forgotten impersonate inbox internal invitation invitations invite invited invites invoice invoices " +
		"join log-in login logon magic mfa metrics oauth oauth2 onetime order orders otp passcode passkey passwd password passwords payment payments " +
		"pprof preview previews private q receipt receipts recover recovery redeem register reset reservation reservations " +
		"search secret secrets session sessions settings share shared shares sharing signin signup sso staging " +
		"ticket tickets token tokens tracking transfer unlock unsubscribe verification verified verify vouchers voucher webhook webhooks")

// foreignWords are such words in other languages. Each line begins with what they mean.
//
//go:embed words.txt
var foreignWords string

// unspaced are those in scripts without spaces, so that they may stand anywhere in a name.
var unspaced []string

func init() {
	for line := range strings.Lines(foreignWords) {
		meaning, list, _ := strings.Cut(line, " ")
		for name := range strings.FieldsSeq(list) {
			word := strings.Join(action.Words(name), "")
			riskyWords[word] = true
			if meaning == "login" {
				loginWords[word] = true
			}
			if strings.ContainsFunc(name, func(c rune) bool {
				return unicode.In(c, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai)
			}) {
				unspaced = append(unspaced, word)
			}
		}
	}
}

// foreign returns the first risky word in a segment that is not written in ASCII alone, or "".
func foreign(segment string) string {
	name, err := url.PathUnescape(segment)
	if err != nil {
		return ""
	}
	for _, word := range action.Words(name) {
		if riskyWords[word] {
			return word
		}
		for _, w := range unspaced {
			if strings.Contains(word, w) {
				return w
			}
		}
	}
	return ""
}

func words(list string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(list) {
		set[w] = true
	}
	return set
}

// WordOf returns the worst kind of word in a location. variable says that a variable of its route
// has a name like a secret's.
func WordOf(location string, variable bool) Word {
	word, _ := WordIn(location)
	if word < Secret && (variable || capability.Looks(location)) {
		return Secret
	}
	return word
}

// Unlinked reports whether a location may be asked for although nothing links to it: no word of it says that this
// does something, or that the page is not for everybody.
func Unlinked(location string) bool {
	return WordOf(location, false) == Plain && !action.Verb(location)
}

// WordIn returns the worst kind of word in the path of a location, and the first
// word of that kind in it.
func WordIn(location string) (worst Word, word string) {
	if name, is := action.Word(location); is {
		return Action, name
	}
	path, _, _ := strings.Cut(location, "?")
	for segment := range strings.SplitSeq(strings.ToLower(path), "/") {
		segment = strings.ReplaceAll(segment, "_", "-")
		name, _, _ := strings.Cut(segment, ".")
		if name = strings.Trim(name, "-"); worst < Risky && riskyNames[name] {
			worst, word = Risky, name
		}
		if worst < Risky && strings.Contains(segment, "%") {
			if name := foreign(segment); name != "" {
				worst, word = Risky, name
			}
		}
		for name := range strings.FieldsFuncSeq(segment, func(c rune) bool { return c == '-' || c == '.' }) {
			if worst < Risky && riskyWords[name] {
				worst, word = Risky, name
			}
		}
	}
	return worst, word
}
