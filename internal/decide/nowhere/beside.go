package nowhere

import (
	"crypto/rand"
	"fmt"
	"math/big"
	"path"
	"regexp"
	"strings"
)

// pagers are names of parameters and folders whose numbers count the pages of a list. Many sites answer a number that
// is too large with the last page.
var pagers = regexp.MustCompile(`(?i)^(pages?|paged|p|pg|seite|pagina|strona|sida|offset|start|from|skip)$`)

// Beside returns a made-up address beside a location, to which nobody can have linked, and a text that says what the
// address stands for. Locations with the same text need only one such address. All names in it are made up, since many
// sites find a page by one name alone. Only a first folder without a number is kept. Beside returns "" for a location
// that needs no such address.
func Beside(location string) (address, stands string) {
	folders, query, asked := strings.Cut(location, "?")
	if asked {
		return besideQuery(folders, query)
	}
	names := strings.Split(strings.TrimPrefix(folders, "/"), "/")
	last := len(names) - 1
	if names[last] == "" {
		last--
	}
	if last < 0 || last > 0 && pagers.MatchString(names[last-1]) {
		return "", ""
	}
	kinds := append([]string(nil), names...)
	for i := range last + 1 {
		if i > 0 || last == 0 || digits.MatchString(names[0]) {
			names[i], kinds[i] = madeUp(names[i])
		}
	}
	return "/" + strings.Join(names, "/"), "/" + strings.Join(kinds, "/")
}

// besideQuery is Beside for a location with a query: its values are made up.
func besideQuery(folders, query string) (address, stands string) {
	address, stands = folders+"?", folders+"?"
	for i, pair := range strings.Split(query, "&") {
		name, value, _ := strings.Cut(pair, "=")
		if pagers.MatchString(name) {
			return "", ""
		}
		if i > 0 {
			address, stands = address+"&", stands+"&"
		}
		made, kind := madeUp(value)
		address, stands = address+name+"="+made, stands+name+"="+kind
	}
	return address, stands
}

var digits = regexp.MustCompile(`\d+`)

// madeUp returns a name that is made up like another one: with other numbers or, without numbers, with other letters.
// kind is what it stands for.
func madeUp(name string) (made, kind string) {
	end := path.Ext(name)
	if name = strings.TrimSuffix(name, end); digits.MatchString(name) {
		kind = "#" + end
		if name != digits.FindString(name) {
			kind = "*#" + end
		}
		return digits.ReplaceAllStringFunc(name, func(string) string { return number() }) + end, kind
	}
	return strings.ToLower(rand.Text()[:12]) + end, "*" + end
}

// number returns a number that no list reaches.
func number() string {
	n, err := rand.Int(rand.Reader, big.NewInt(900_000_000))
	if err != nil {
		panic(err) // it never fails
	}
	return fmt.Sprint(100_000_000 + n.Int64())
}
