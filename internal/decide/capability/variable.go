package capability

import (
	"regexp"
	"strings"

	"github.com/servemap/servemap/internal/decide/action"
)

// secretWords occur in the names of variables that carry a secret.
var secretWords = words(
	"apikey auth authcode authkey bearer capability captcha challenge code cookie credential credentials csrf digest " +
		"guid guids hash hmac " +
		"invitation invite invitecode jwt key magic mac nonce oauth otp passcode passkey passphrase passwd password pin pw " +
		"pwd secret session sessionid sessid sess sid sig sign " +
		"signature signed share sharekey ticket token tokens totp uuid uuids verification verifier verify voucher xsrf")

// weakWords are secret words that often mean something else. The word before decides.
var weakWords = words("code key hash sign digest")

// plainWords make a weak word after them harmless, as in country code or sort key.
var plainWords = words(
	"air airport area block category cipher city color colour commit content country course currency dial error exit " +
		"file foreign git http " +
		"iata icao iso item lang language locale phone post postal primary product public qr region rev revision room " +
		"route sort source " +
		"state station status stock tree tx unicode vehicle zip zone")

func words(list string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		set[w] = true
	}
	return set
}

// variable matches the beginning of a variable with its name. What a regular expression in it has in
// braces begins with a digit.
var variable = regexp.MustCompile(`\{([A-Za-z_][\w.-]*)`)

// Variable reports whether the name of a variable in a route template says that it carries a
// secret: resetToken, reset_token, RESET-TOKEN and resettoken alike. It reads templates of
// gorilla/mux ("/u/{id:[0-9]+}") and of net/http ("/x/{token}", "/f/{rest...}"). It is safe for
// concurrent use.
func Variable(template string) bool {
	for _, found := range variable.FindAllStringSubmatch(template, -1) {
		before := ""
		for _, word := range action.Words(found[1]) {
			if secretWord(word, before) {
				return true
			}
			before = word
		}
	}
	return false
}

// secretWord reports whether a word of a name is secret after the one before it, or ends with a
// secret word, as resettoken.
func secretWord(word, before string) bool {
	if secretWords[word] {
		return !weakWords[word] || !plainWords[before]
	}
	for secret := range secretWords {
		if len(secret) > 3 && !weakWords[secret] && strings.HasSuffix(word, secret) {
			return true
		}
	}
	return false
}
