package admit

import "strings"

// Locations returns the locations of which rules say one by one whether they are listed, with a pattern
// without stars that ends in "$".
func (rs Rules) Locations() []string {
	var named []string
	for _, r := range rs.listing {
		if r.anchored && len(r.pieces) == 1 && strings.HasPrefix(r.pieces[0], "/") {
			named = append(named, r.pieces[0])
		}
	}
	return named
}
