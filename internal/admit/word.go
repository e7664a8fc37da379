package admit

import (
	"strings"

	"github.com/servemap/servemap/internal/capability"
)

// Word says what a location gives away of its page.
type Word uint8

// The kinds of word, the worst last.
const (
	Plain  Word = iota // nothing
	Risky              // what it names is often meant for one person
	Secret             // it looks like a capability: who knows it is let in
	Action             // to get it is to do something
)

// riskyWords are words of pages that are often one person's, or nobody's but
// the owner's. They are looked for among the words of each segment, since the
// price of a hit is low: a link from a listed page makes up for it.
var riskyWords = words(
	"2fa account accounts admin administrator activate activation actuator approve auth authenticate authentication authorize authorise " +
		"billing booking bookings claim confirm confirmation confirmed console debug draft drafts " +
		"forgot forgotten impersonate inbox internal invitation invitations invite invited invites invoice invoices " +
		"join log-in login logon magic mfa metrics oauth oauth2 onetime order orders otp passcode passkey passwd password passwords payment payments " +
		"pprof preview previews private q receipt receipts recover recovery redeem register reset reservation reservations " +
		"search secret secrets session sessions settings share shared shares sharing signin signup sso staging " +
		"ticket tickets token tokens tracking transfer unlock unsubscribe verification verified verify vouchers voucher webhook webhooks")

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

// WordOf returns the worst that a location says. variable says that a variable
// of its route is named like a secret.
func WordOf(location string, variable bool) Word {
	word := pathWord(location)
	if word < Secret && (variable || capability.Looks(location)) {
		return Secret
	}
	return word
}

func pathWord(location string) Word {
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
