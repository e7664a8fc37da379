// Package eligibility decides whether a location is listed. It takes a response and the evidence. It
// returns what the response proves, and the verdict with its reason. Every function is pure: it must
// never read a store, a clock or the network.
package eligibility

// Verdict says whether a location is listed, or how far it is from that.
type Verdict uint8

// The verdicts. Their numbers are stored, so they never change.
const (
	Unknown  Verdict = iota // never seen, or forgotten because it was not seen for long
	Waiting                 // seen or linked to, but the evidence is not enough
	Held                    // seen, but something keeps it out that a link, the page or the owner can change
	Listed                  // in the sitemap
	Excluded                // the page, robots.txt or the owner forbids it
	Gone                    // was listed, and the site no longer serves it
)

var verdictNames = [...]string{"unknown", "waiting", "held", "listed", "excluded", "gone"}

// String returns the verdict in lower case.
func (v Verdict) String() string {
	if int(v) < len(verdictNames) {
		return verdictNames[v]
	}
	return "unknown"
}

// Standing is a reason with its verdict, which follows from it.
type Standing struct {
	Verdict Verdict `cbor:"-"`
	Reason  Reason  `cbor:"2,keyasint,omitzero"`
}

// Listed reports whether the verdict is to list the page.
func (s Standing) Listed() bool { return s.Verdict == Listed }
