package eligibility

import (
	_ "embed"
	"iter"
	"net/url"
	"regexp"
	"strings"

	"github.com/servemap/servemap/internal/decide/action"
	"github.com/servemap/servemap/internal/decide/capability"
	"github.com/servemap/servemap/internal/page/location"
)

// wordsFile has names of pages. Lines that begin with "office" have those of back offices and of what shows the insides
// of a program. Those with "own" have others that programs have for their owner: answers to errors and forms, parts of
// other pages. Those with "login" have log-in pages, in many languages.
//
//go:embed words.txt
var wordsFile string

var officeNames, ownNames, loginWords = func() (office, own, login map[string]bool) {
	office, own, login = map[string]bool{}, map[string]bool{}, map[string]bool{}
	for line := range strings.Lines(wordsFile) {
		meaning, list, _ := strings.Cut(line, " ")
		for name := range strings.FieldsSeq(list) {
			switch meaning {
			case "office":
				office[name] = true
				fallthrough
			case "own":
				own[name] = true
			default:
				login[strings.Join(action.Words(name), "")] = true
			}
		}
	}
	return office, own, login
}()

// Own reports whether an element of a location's path has a name of pages for the owner alone, such as /debug/pprof/.
// That they have a route and answer does not make them public: often only the network keeps strangers out. A link
// does.
func Own(location string) bool {
	path, _, _ := strings.Cut(location, "?")
	for element := range strings.SplitSeq(path, "/") {
		if ownNames[nameOf(element)] {
			return true
		}
	}
	return false
}

// Office reports whether a location begins with the name of a back office, such as /admin/users. Deeper ones are mostly
// about one, such as /docs/admin.
func Office(location string) bool {
	first, _, _ := strings.Cut(strings.TrimPrefix(location, "/"), "/")
	first, _, _ = strings.Cut(first, "?")
	return officeNames[nameOf(first)]
}

// nameOf returns an element of a path without escapes and extension, as the names of pages are written here.
func nameOf(element string) string {
	if decoded, err := url.PathUnescape(element); err == nil {
		element = decoded
	}
	name, _, _ := strings.Cut(strings.ToLower(element), ".")
	return strings.Trim(strings.ReplaceAll(name, "_", "-"), "-")
}

// Selects reports whether a parameter may make a page of its own, as far as its name says: it holds no session, and
// does nothing, as in /cart?add=1.
func Selects(name string) bool {
	_, acts := action.Word("/?" + name)
	return !acts && !location.IsSession(name)
}

// sessionID matches a parameter whose value is that of a session, unless it is a number, as of a story or a conference.
var sessionID = regexp.MustCompile(`(?i)^(?:sid|sess(?:ion)?[_-]?id)=.*[^0-9]`)

// Secrets yields the names of the parameters of a location whose values look like secrets, as those of a session do.
func Secrets(loc string) iter.Seq[string] {
	return func(yield func(string) bool) {
		_, query, _ := strings.Cut(loc, "?")
		for param := range strings.SplitSeq(query, "&") {
			if name, value, _ := strings.Cut(param, "="); name != "" &&
				(capability.Looks("/"+value) || sessionID.MatchString(param)) && !yield(name) {
				return
			}
		}
	}
}

// Unlinked reports whether a location may be asked for although nothing links to it: nothing in it says that a request
// acts, or that the page is not for everybody.
func Unlinked(location string) bool {
	return !action.Verb(location) && !Own(location) && !capability.Looks(location)
}
