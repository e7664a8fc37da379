package explore

import (
	"fmt"

	"github.com/servemap/servemap/internal/page/words"
)

// Load says how many requests at once a site bears. A page that fails beside others is asked for again, alone. If it
// then answers, and another one so too, the others were too many, and half as many run at once from then on. A single
// one met an error that passed.
type Load struct {
	Alone  int // pages that failed beside others, and came once asked for alone
	AtOnce int // the fewest requests under which one of these failed
}

// Answered notes that a page came once it was asked for alone. Before, it had failed beside atOnce requests.
func (l *Load) Answered(atOnce int) {
	if l.Alone++; l.AtOnce == 0 || atOnce < l.AtOnce {
		l.AtOnce = atOnce
	}
}

// Over reports whether the requests at once were too many.
func (l *Load) Over() bool { return l.Alone > 1 }

// Bears returns how many requests may run at once: at most most.
func (l *Load) Bears(most int) int {
	if !l.Over() {
		return most
	}
	return max(1, min(most, l.AtOnce/2))
}

// Says says what a site did not bear, "" for nothing.
func (l Load) Says() string {
	if !l.Over() {
		return ""
	}
	return fmt.Sprintf("The site failed under %d requests at once: %s came only once asked for alone. Visitors who come at the "+
		"same time meet these errors too. Often a database is locked: let it wait, as by SQLite's busy_timeout.",
		l.AtOnce, words.Count(l.Alone, "page"))
}
