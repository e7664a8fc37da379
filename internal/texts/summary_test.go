package texts

import (
	"strings"
	"testing"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/location"
)

func TestEveryReasonHasASummaryAndStandsInTheHelp(t *testing.T) {
	help := map[string]Reason{}
	for _, r := range Reasons() {
		if _, twice := help[r.Name]; twice {
			t.Errorf("%s stands there twice", r.Name)
		}
		help[r.Name] = r
	}
	for why := admit.ByRule; why <= admit.Disallowed; why++ { // reasons that a verdict can carry
		s, ok := Summarise(why.String())
		if !ok || !strings.HasSuffix(s.Means, ".") || s.Care == "" || s.Todo != "" && !strings.HasSuffix(s.Todo, ".") {
			t.Errorf("%v: %+v, want sentences and a care", why, s)
		}
		if r := help[why.String()]; r.Page == "" || r.Means != s.Means {
			t.Errorf("%v: the help has %+v", why, r)
		}
		if fine := why <= admit.ByHistory; fine != (s.Care == Fine) {
			t.Errorf("%v: %s", why, s.Care)
		}
	}
	if _, ok := Summarise("cookie"); ok {
		t.Error("what is no reason of a verdict has a summary")
	}
}

func TestEveryResponseThatDidNotCountIsExplained(t *testing.T) {
	for why := admit.Method; int(why) < admit.Reasons; why++ {
		if Response(why.String()) == "see the log" {
			t.Errorf("%v is not explained", why)
		}
	}
	for why := location.ReasonNone + 1; why <= location.ReasonQuery; why++ {
		if Response(why.String()) == "see the log" {
			t.Errorf("%v is not explained", why)
		}
	}
}
