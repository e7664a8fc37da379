package admit

// Claim is what a location has to show for standing for a content, besides its
// rank.
type Claim struct {
	Location string
	Linked   bool // the site leads to it
}

// Prefer reports whether of two locations of one rank the first is to stand for a
// content that both show: one that is linked, since strangers can ask for any
// location, and then the shorter one. So an article stands above a page of its
// comments, whose path or query says more. Where neither is preferred, the one
// that is listed stays. It orders any number of locations, so that they do not
// take turns.
func Prefer(a, b Claim) bool {
	if a.Linked != b.Linked {
		return a.Linked
	}
	return len(a.Location) < len(b.Location)
}
