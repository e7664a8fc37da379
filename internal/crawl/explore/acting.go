package explore

import (
	"net/url"
	"slices"
	"strings"
	"unicode"

	"github.com/servemap/servemap/internal/decide/eligibility"
)

// A request is more dangerous than a listing: a page named delete.html explains how to
// delete on one site, and deletes on another. So this list has more words than that of
// package admit, and acting looks for them in more places. A page that is left out by
// mistake is listed after its first visitor.

// destroying are verbs that exploring never requests, wherever they stand in a path or
// query. They include the most common ones of other languages.
var destroying = set("delete destroy remove purge erase trash truncate wipe uninstall revoke deactivate terminate discard unregister " +
	"logout logoff signout signoff unsubscribe del rm " +
	"löschen loeschen entfernen abmelden supprimer effacer déconnexion deconnexion eliminar borrar elimina cancella " +
	"excluir apagar verwijderen uitloggen wyloguj radera")

// glued are verbs of destroying that also count at the beginning and the end of a word, as
// in deleteuser.
var glued = strings.Fields("delete destroy remove purge erase truncate uninstall unregister deactivate logout logoff signout signoff unsubscribe")

func destroys(word string) bool {
	return destroying[word] || slices.ContainsFunc(glued, func(verb string) bool {
		return strings.HasPrefix(word, verb) || strings.HasSuffix(word, verb)
	})
}

// changing are verbs that count as the first or the last word of a short segment, or of a
// name or value in a query. In the middle they are part of a sentence.
var changing = set("accept activate add approve archive ban block buy cancel cart checkout clear clone close confirm copy create decline " +
	"disable discard dislike do downvote drop duplicate edit empty enable execute exec expire flag flush follow impersonate import install invite " +
	"join kill leave like lock mark merge move mute order pay pin publish rebuild refund regenerate reindex reject rename reopen report reset resend restart restore revert " +
	"rollback run save send shutdown star start stop submit subscribe switch sync toggle transfer unblock undo unfollow unlike unlock unmark " +
	"unpin unpublish unstar unwatch update upgrade upload upvote verify vote watch")

// pairs are verbs written as two words.
var pairs = [][2]string{{"log", "out"}, {"log", "off"}, {"sign", "out"}, {"sign", "off"}, {"opt", "out"}, {"add", "to"}}

func set(list string) map[string]bool {
	words := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		words[w] = true
	}
	return words
}

// shortSegment is how many words a segment has at most if it may be a command. A longer
// segment is a title.
const shortSegment = 3

// MayAct reports whether a request for a location may change something. Exploring then does
// not request it, unless a rule lists it or no request changes anything.
func MayAct(location string) bool { return acting(location, "") }

// acting reports whether a request for a link may change something. location is where it
// leads, "" if it has no location; href is the link as written.
func acting(location, href string) bool {
	if word, _ := eligibility.WordIn(location); word == eligibility.Action {
		return true // a page that is not listed because of its name is not requested either
	}
	_, query, _ := strings.Cut(href, "?")
	query, _, _ = strings.Cut(query, "#")
	path, kept, _ := strings.Cut(location, "?")
	for segment := range strings.SplitSeq(path, "/") {
		if commands(segment) {
			return true
		}
	}
	for part := range strings.FieldsFuncSeq(query+"&"+kept, func(c rune) bool { return c == '&' || c == '=' || c == ';' }) {
		if commands(part) {
			return true
		}
	}
	return false
}

// commands reports whether a piece of a location reads as a command.
func commands(piece string) bool {
	if plain, err := url.QueryUnescape(piece); err == nil {
		piece = plain
	}
	words := wordsOf(piece)
	if slices.ContainsFunc(words, destroys) {
		return true
	}
	for i := range len(words) - 1 {
		if slices.Contains(pairs, [2]string{words[i], words[i+1]}) {
			return true
		}
	}
	if n := len(words); n > 1 && extensions[words[n-1]] {
		words = words[:n-1]
	}
	n := len(words)
	return n > 0 && n <= shortSegment && (changing[words[0]] || changing[words[n-1]])
}

// extensions are the file extensions of programs and pages.
var extensions = set("php php3 php5 phtml asp aspx jsp jspx jsf do action cgi pl py rb cfm html htm xhtml shtml")

// wordsOf cuts a text into words in lower case. It cuts at everything but letters and
// digits, and before a capital as in deletePost.
func wordsOf(text string) (words []string) {
	var word []rune
	end := func() {
		if len(word) > 0 {
			words, word = append(words, strings.ToLower(string(word))), nil
		}
	}
	lower := false
	for _, c := range text {
		if !unicode.IsLetter(c) && !unicode.IsDigit(c) {
			end()
			lower = false
			continue
		}
		if lower && unicode.IsUpper(c) {
			end()
		}
		word, lower = append(word, c), unicode.IsLower(c)
	}
	end()
	return words
}
