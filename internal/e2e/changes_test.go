package e2e

import (
	"errors"
	"testing"
	"time"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/internal/testkit"
	"github.com/servemap/servemap/internal/testkit/base"
)

// wantRemoved fails unless the last change of a page is its removal, for a reason.
func wantRemoved(s *testkit.Site, path string, why servemap.Reason) {
	s.Helper()
	for c, err := range s.Changes(s.Context(), time.Time{}) {
		if err != nil {
			s.Fatal(err)
		}
		if c.URL == testkit.Origin+path {
			if c.Kind != servemap.ChangeRemoved || c.Reason != why {
				s.Errorf("%s is %s, reason %q; want it removed, reason %q", path, c.Kind, c.Reason, why)
			}
			return
		}
	}
	s.Errorf("no change of %s is told", path)
}

func TestRemovalHasAReasonOnceThatIsStored(t *testing.T) {
	h := testkit.Paths{"/": testkit.Page("home", "/a"), "/a": testkit.Page("a")}
	st := base.NewStore()
	testkit.Run(t, testkit.Setup{Handler: h, Store: st}, func(s *testkit.Site) {
		s.Visit("/", "/a")
		s.Settle()
		s.WantListed("/", "/a")
	})

	st.Refuse(errors.New("it cannot be written"))
	never := servemap.Options{Rules: []servemap.Rule{{Pattern: "/a", List: servemap.DecisionNever}}}
	testkit.Run(t, testkit.Setup{Handler: h, Store: st, Options: never}, func(s *testkit.Site) {
		wantRemoved(s, "/a", "") // the rule holds at once, and is stored later
		st.Mend()
		time.Sleep(time.Hour)
		s.Settle()
		wantRemoved(s, "/a", servemap.ReasonRuleNever)
	})
}
