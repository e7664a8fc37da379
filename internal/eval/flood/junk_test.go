package flood

import (
	"fmt"
	"hash/fnv"
	"strings"
)

// maxJunk is how many junk locations there are: four words each.
const maxJunk = 1 << 24

// forms are the forms of junk. A different check should stop each form. m is a number below
// maxJunk that no other junk location has.
var forms = []func(m uint64) string{
	func(m uint64) string { return "/" + slug(m) },
	func(m uint64) string { return "/" + section(m) + "/" + slug(m) },
	func(m uint64) string { return fmt.Sprintf("/%s/%d", section(m), 1_000_000+m) },
	func(m uint64) string { return "/" + section(m) + "/" + strings.ReplaceAll(slug(m), "-", "/") },
	func(m uint64) string { return "/search/" + strings.ReplaceAll(slug(m), "-", "%20") },
	func(m uint64) string { return fmt.Sprintf("/calendar/%d/%02d/%02d", 1000+m/(12*28), 1+m/28%12, 1+m%28) },
	func(m uint64) string { return "/" + token(m, 22) },
	func(m uint64) string { return "/files/" + token(m, 32) },
	func(m uint64) string { return fmt.Sprintf("/%s?page=%d", section(m), 2+m) },
	func(m uint64) string { return "/tag/" + slug(m) + "/page/2" },
}

// junkLocation returns the n-th junk location.
func junkLocation(n int) string {
	m := (uint64(n)*0x9E3779B1 + 1) % maxJunk // the factor is odd, so no two n get one m
	return forms[n%len(forms)](m)
}

func section(m uint64) string { return sections[m>>3%uint64(len(sections))] }

func slug(m uint64) string {
	n := uint64(len(words))
	return words[m%n] + "-" + words[m/n%n] + "-" + words[m/n/n%n] + "-" + words[m/n/n/n%n]
}

// token returns n digits that look random.
func token(m uint64, n int) string {
	const digits = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	h := fnv.New64a()
	b := make([]byte, n)
	for i := range b {
		h.Write([]byte{byte(m), byte(m >> 8), byte(m >> 16), byte(i)})
		b[i] = digits[h.Sum64()>>20%uint64(len(digits))]
	}
	return string(b)
}
