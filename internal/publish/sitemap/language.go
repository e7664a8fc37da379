package sitemap

import "strings"

// ValidLanguage reports whether an alternate may have the language s: x-default, or a
// string of at most 35 bytes in the form of a language tag (RFC 5646).
func ValidLanguage(s string) bool {
	if len(s) > 35 {
		return false
	}
	first := true
	for part := range strings.SplitSeq(s, "-") {
		if part == "" || len(part) > 8 || !consistsOf(part, first) {
			return false
		}
		first = false
	}
	return true
}

// consistsOf reports whether a subtag has only letters and digits, or, with lettersOnly,
// only letters.
func consistsOf(subtag string, lettersOnly bool) bool {
	for i := range len(subtag) {
		if !isAlphanumeric(subtag[i]) || lettersOnly && subtag[i] <= '9' {
			return false
		}
	}
	return true
}

// NewsLanguage returns a language tag in the form that news sitemaps use: two or three
// letters of ISO 639, or zh-cn or zh-tw for Chinese by its script or region. It returns ""
// for any other tag.
func NewsLanguage(tag string) string {
	tag = strings.ToLower(strings.ReplaceAll(strings.TrimSpace(tag), "_", "-"))
	if !ValidLanguage(tag) {
		return ""
	}
	language, rest, _ := strings.Cut(tag, "-")
	if len(language) != 2 && len(language) != 3 {
		return ""
	}
	if language != "zh" {
		return language
	}
	for subtag := range strings.SplitSeq(rest, "-") {
		switch subtag {
		case "hans", "cn", "sg", "my":
			return "zh-cn"
		case "hant", "tw", "hk", "mo":
			return "zh-tw"
		}
	}
	return language
}
