package texts

import (
	_ "embed"
	"strings"
)

// Reason says what a reason that a verdict can carry means.
type Reason struct {
	Verdict, Name string
	Care          Care
	Page          string // why one page is listed or not, and what would change that
	Means         string // a sentence about several pages
	Todo          string // what to do if that is a mistake, a sentence; "" if there is nothing to do
}

// Care says how much a reason for many pages needs the owner's attention.
type Care string

// The cares.
const (
	Fine  Care = "fine"  // they are listed
	Meant Care = "meant" // the site says so, or no sitemap lists such pages
	Wait  Care = "wait"  // time and visitors decide
	Look  Care = "look"  // it may be a mistake
)

// reasonsFile has a paragraph for each reason. Its first line is the verdict, the reason and the
// care. The next lines are Page, Means and, if there is one, Todo.
//
//go:embed reasons.txt
var reasonsFile string

var reasons = readReasons(reasonsFile)

func readReasons(file string) (all []Reason) {
	file = strings.TrimSpace(strings.ReplaceAll(file, "\r", ""))
	for paragraph := range strings.SplitSeq(file, "\n\n") {
		lines := append(strings.Split(paragraph, "\n"), "")
		first := strings.Fields(lines[0])
		all = append(all, Reason{Verdict: first[0], Name: first[1], Care: Care(first[2]), Page: lines[1], Means: lines[2], Todo: lines[3]})
	}
	return all
}

// Reasons returns the reasons that a verdict can carry, the listed ones first. The caller must not
// change them.
func Reasons() []Reason { return reasons }

// ReasonNamed returns the reason of that name. It is zero if no verdict carries it.
func ReasonNamed(name string) Reason {
	for _, r := range reasons {
		if r.Name == name {
			return r
		}
	}
	return Reason{}
}
