package mark

import (
	"bytes"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// fold appends a text without the details that a template or a font may alter: spaces without width or beside a
// Chinese character, and the kinds of quotes, dashes and dots.
func fold(dst []byte, s string) []byte {
	rest, wide := 0, false // wide: the character before is one
	for i, r := range s {
		instead, ok := folded(r)
		switch {
		case ok:
			dst, rest = append(append(dst, s[rest:i]...), instead...), i+utf8.RuneLen(r)
		case wide && r == ' ':
			dst, rest = append(dst, s[rest:i]...), i+1
		case isWide(r) && i > rest && s[i-1] == ' ':
			dst, rest = append(dst, s[rest:i-1]...), i
		}
		wide = isWide(r)
	}
	return append(dst, s[rest:]...)
}

// folded returns what stands for a character that is folded.
func folded(r rune) (instead string, ok bool) {
	switch {
	case r == '"', r == '`', r == '´', r == '«', r == '»', r == '‹', r == '›', '‘' <= r && r <= '‟', r == '′', r == '″':
		return "'", true
	case '\u2010' <= r && r <= '\u2015', r == '\u2212': // dashes, minus
		return "-", true
	case r == '…':
		return "...", true
	case r == '\u00ad', '\u2000' <= r && r <= '\u200f', r == '\u202f', r == '\u2060', r == '\u3000', r == '\ufeff':
		// soft hyphen, spaces, marks without width
		return "", true
	}
	return "", false
}

// letters returns the letters and digits of a heading, so that no sign that a generator sets makes another heading. One
// without any stays as it is.
func letters(s []byte) []byte {
	kept := bytes.Map(func(c rune) rune {
		if unicode.IsLetter(c) || unicode.IsDigit(c) || unicode.IsMark(c) {
			return c
		}
		return -1
	}, s)
	if len(kept) > 0 {
		return kept
	}
	return s
}

// amountOf returns the parts of a price in one order, and its numbers in one form: a template may turn "€ 1,250.00" to
// "1.250 €".
func amountOf(s []byte) []byte {
	parts := amountParts.FindAll(s, -1)
	for i, n := range parts {
		if at := bytes.LastIndexAny(n, ".,"); at >= 0 {
			whole, rest := n[:at], n[at+1:]
			if len(rest) == 3 { // thousands
				whole, rest = n, nil
			}
			whole = bytes.Map(func(r rune) rune {
				if r == '.' || r == ',' {
					return -1
				}
				return r
			}, whole)
			if parts[i] = whole; len(bytes.Trim(rest, "0")) > 0 {
				parts[i] = append(append(whole, '.'), rest...)
			}
		}
	}
	slices.SortStableFunc(parts, bytes.Compare)
	return bytes.Join(parts, []byte(" "))
}

// amountParts are the numbers, words and signs of a price.
var amountParts = regexp.MustCompile(`-?\d+(?:[.,]\d+)*|\pL+|[\p{Sc}%]`)

// beginning returns the first two characters of a text.
func beginning(s []byte) []byte {
	_, size := utf8.DecodeRune(s)
	_, next := utf8.DecodeRune(s[size:])
	return s[:size+next]
}

// isWide reports whether a character is a Chinese, Japanese or Korean one.
func isWide(r rune) bool { return r >= 0x2E80 }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// weight returns how much a text says, in Latin letters. A Chinese character says as much as four.
func weight(s []byte) (n int) {
	for _, r := range string(s) {
		if n++; isWide(r) {
			n += 3
		}
	}
	return n
}

// hasAmount reports whether a text has a number and a sign of a price or a share, a number with two decimals, as prices
// have whose currency is written in letters, or a number beside the code of a currency. Dates and times have more
// parts.
func hasAmount(s string) bool {
	for n := range strings.FieldsFuncSeq(s, func(r rune) bool { return !strings.ContainsRune("0123456789.,:", r) }) {
		if i := len(n) - 3; i > 0 && (n[i] == '.' || n[i] == ',') && isDigit(n[i-1]) && strings.Count(n, n[i:i+1]) == 1 &&
			isDigit(n[i+1]) && isDigit(n[i+2]) {
			return true
		}
	}
	return strings.ContainsFunc(s, unicode.IsDigit) && (strings.Contains(s, "%") || hasCurrency(s))
}

// currencies are the codes of ISO 4217 that shops often write, but for those that are words or names, such as TRY and
// PHP: "ALL 24 COMMENTS" names no price.
const currencies = " AED ARS AUD BGN BRL CAD CHF CLP CNY CZK DKK EGP EUR GBP HKD HUF IDR ILS INR ISK JPY KRW MXN" +
	" MYR NOK NZD PLN RON RSD RUB SAR SEK SGD THB TWD UAH USD VND ZAR "

// hasCurrency reports whether a text has the sign of a currency, or a number beside the code of one, such as EUR.
func hasCurrency(s string) bool {
	if strings.ContainsFunc(s, func(r rune) bool { return unicode.Is(unicode.Sc, r) }) {
		return true
	}
	words := strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for i, w := range words {
		code := strings.Trim(w, "0123456789")
		beside := len(code) < len(w) || i > 0 && isDigit(words[i-1][len(words[i-1])-1]) ||
			i+1 < len(words) && isDigit(words[i+1][0])
		if beside && strings.Contains(currencies, " "+code+" ") {
			return true
		}
	}
	return false
}

var (
	numbers = regexp.MustCompile(`\d+(?:\.\d+)*`)
	builds  = regexp.MustCompile(`\d+(?:\.\d+){3,}`) // their numbers have four parts or more
)

// mask returns a text with one sign in place of each number, but for versions. year says that a number is a year.
// days are the numbers that may be days of a month, one bit each.
func mask(s []byte) (masked []byte, year bool, days uint32) {
	end := 0
	for _, at := range numbers.FindAllIndex(s, -1) {
		number, counts := s[at[0]:at[1]], isCount(s[at[1]:])
		masked, end = append(masked, s[end:at[0]]...), at[1]
		parts := bytes.Split(number, []byte("."))
		if isVersion(parts) {
			masked = append(masked, number...)
			continue
		}
		for _, part := range parts {
			switch value, _ := strconv.Atoi(string(part[:min(len(part), 5)])); {
			case len(part) == 4 && 1900 <= value && value < 2100:
				year = true
			case !counts && len(part) <= 2 && 1 <= value && value <= 31:
				days |= 1 << value
			}
		}
		masked = append(masked, '#')
	}
	return append(masked, s[end:]...), year, days
}

// unit matches the letters that follow a number.
var unit = regexp.MustCompile(`^[A-Za-z]+`)

// isCount reports whether a number is no day, since a unit of one or two letters follows, as in 5kg and 1m30s. The ending
// of an ordinal, a time of day and the name of a month are none.
func isCount(after []byte) bool {
	of := unit.Find(after[:min(len(after), len("kg")+1)])
	return (len(of) == 1 || len(of) == 2) &&
		!strings.Contains(" st nd rd th er de e t ", " "+strings.ToLower(string(of))+" ")
}

// isVersion reports whether the parts of a number are those of a version, as in 1.26.0. Numbers of builds and
// addresses have more parts, amounts and times less, and the parts of a date have two or four digits each.
func isVersion(parts [][]byte) bool {
	return len(parts) == 3 && !slices.ContainsFunc(parts, func(b []byte) bool { return len(b) == 4 }) &&
		slices.ContainsFunc(parts, func(b []byte) bool { return len(b) != 2 })
}

// ages are words that say how long ago something was, in some languages, and agoWords those that end a text that says
// so.
var (
	ages = strings.FieldsFunc(` just now / in the last / yesterday / this week/ vor / gestern / heute / il y a / hier / hace / ayer / ieri / há /`+
		` ontem / gisteren / igår / wczoraj / вчера /前/昨`, func(c rune) bool { return c == '/' })
	agoWords = [...]string{" ago ", " fa ", " atrás ", " geleden ", " sedan ", " siden ", " temu ", " назад ", " önce "}
)

// isAge reports whether a text says how long ago something was, such as "Updated yesterday" or "vor 3 Tagen". Such a
// text changes by itself.
func isAge(s string) bool {
	s = " " + strings.NewReplacer(",", " ", ":", " ").Replace(s) + " "
	return slices.ContainsFunc(ages, func(age string) bool { return strings.Contains(s, age) }) ||
		slices.ContainsFunc(agoWords[:], func(ago string) bool { return strings.HasSuffix(s, ago) })
}
