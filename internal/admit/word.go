package admit

import "strings"

// Word says what the words of a location give away.
type Word uint8

// The kinds of word.
const (
	Plain  Word = iota // nothing
	Risky              // what it names is often meant for one person
	Action             // to get it is to do something
)

// riskyWords are words of pages that are often one person's, or nobody's but
// the owner's. They are looked for among the words of each segment, since the
// price of a hit is low: a link from a listed page makes up for it.
var riskyWords = words(
	"account admin activate activation actuator authenticate authorize confirm confirmation console debug draft drafts " +
		"forgot impersonate invitation invitations invite invites invoice invoices login magic metrics oauth order orders " +
		"otp passwd password passwords payment payments pprof preview private receipt receipts recover recovery reset " +
		"secret session sessions share shared sharing signin sso token tokens unsubscribe verification verify")

// actionWords are segments whose pages nobody should be led to, since a crawler
// that follows them changes something. They must be a whole segment, as no link
// makes up for them.
var actionWords = words(
	"add-to-cart basket cart checkout delete destroy edit log-out logoff logout purge remove sign-out signoff signout unsubscribe")

func words(list string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(list) {
		set[w] = true
	}
	return set
}

// WordOf returns the worst that the words of a location's path say.
func WordOf(location string) Word {
	path, _, _ := strings.Cut(location, "?")
	worst := Plain
	for segment := range strings.SplitSeq(strings.ToLower(path), "/") {
		segment = strings.ReplaceAll(segment, "_", "-")
		if actionWords[segment] {
			return Action
		}
		for word := range strings.FieldsFuncSeq(segment, func(c rune) bool { return c == '-' || c == '.' }) {
			if riskyWords[word] {
				worst = Risky
			}
		}
	}
	return worst
}
