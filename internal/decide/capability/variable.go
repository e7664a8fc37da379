package capability

import "strings"

// secretWords occur in the names of variables that carry a secret.
var secretWords = words(
	"apikey auth authcode authkey bearer capability captcha challenge code cookie credential credentials csrf digest guid guids hash hmac " +
		"invitation invite jwt key magic mac nonce oauth otp passcode passkey passphrase passwd password pin pw pwd secret session sess sid sig sign " +
		"signature signed share ticket token tokens totp uuid uuids verification verifier verify voucher xsrf")

// weakWords are secret words that often mean something else. The word before decides.
var weakWords = words("code key hash sign digest")

// plainWords make a weak word after them harmless, as in country code or sort key.
var plainWords = words(
	"air airport area block category cipher city color colour commit content country course currency dial error exit file foreign git http " +
		"iata icao iso item lang language locale phone post postal primary product public qr region rev revision room route sort source " +
		"state station status stock tree tx unicode vehicle zip zone")

// secretEndings are endings of secret words without humps, such as resettoken.
var secretEndings = [...]string{"token", "secret", "signature", "password", "apikey", "sharekey", "invitecode", "uuid", "sessionid", "jwt"}

func words(list string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		set[w] = true
	}
	return set
}

// Variable reports whether the name of a variable in a route template says that it carries a
// secret. It reads templates of gorilla/mux ("/u/{id:[0-9]+}") and of net/http ("/x/{token}",
// "/f/{rest...}"). It is safe for concurrent use.
func Variable(template string) bool {
	for {
		_, after, found := strings.Cut(template, "{")
		if !found {
			return false
		}
		end := closing(after)
		name, _, _ := strings.Cut(after[:end], ":")
		if secretName(strings.TrimSuffix(name, "...")) {
			return true
		}
		template = after[end:]
	}
}

// closing returns where the variable at the beginning of s ends. A regular expression in it may
// have braces.
func closing(s string) int {
	depth := 1
	for i := range len(s) {
		switch s[i] {
		case '{':
			depth++
		case '}':
			depth--
		}
		if depth == 0 {
			return i
		}
	}
	return len(s)
}

// secretName reports whether a word of a name is secret: resetToken, reset_token, RESET-TOKEN and
// resettoken alike.
func secretName(name string) bool {
	before := ""
	for name != "" {
		n := wordEnd(name)
		word := strings.ToLower(name[:n])
		name = strings.TrimLeft(name[n:], "_-. ")
		if secretWords[word] && (!weakWords[word] || !plainWords[before]) {
			return true
		}
		for _, ending := range secretEndings {
			if strings.HasSuffix(word, ending) {
				return true
			}
		}
		before = word
	}
	return false
}

// wordEnd returns the length of the first word of a name, which ends at a separator or a hump. In
// JWTString the second word begins with the S, in resetToken with the T. The s of IDs begins no
// word.
func wordEnd(name string) int {
	for i := 1; i < len(name); i++ {
		switch c := name[i]; {
		case c == '_' || c == '-' || c == '.' || c == ' ':
			return i
		case upper(c) && !upper(name[i-1]):
			return i
		case upper(c) && i+2 < len(name) && lower(name[i+1]) && lower(name[i+2]):
			return i
		}
	}
	return len(name)
}

func upper(c byte) bool { return 'A' <= c && c <= 'Z' }
func lower(c byte) bool { return 'a' <= c && c <= 'z' }
