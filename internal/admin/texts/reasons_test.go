package texts

import (
	"strings"
	"testing"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/page/location"
)

func TestEveryReasonOfAVerdictIsExplained(t *testing.T) {
	for why := eligibility.ByRule; why <= eligibility.Disallowed; why++ { // reasons that a verdict can carry
		r := ReasonNamed(why.String())
		if !strings.HasSuffix(r.Page, ".") || !strings.HasSuffix(r.Means, ".") || r.Todo != "" && !strings.HasSuffix(r.Todo, ".") {
			t.Errorf("%v: %+v, want sentences", why, r)
		}
		if r.Care != Fine && r.Care != Meant && r.Care != Wait && r.Care != Look || (why <= eligibility.ByHistory) != (r.Care == Fine) {
			t.Errorf("%v: %q", why, r.Care)
		}
	}
	if n := len(Reasons()); n != int(eligibility.Disallowed) {
		t.Errorf("%d reasons are explained, want %d", n, eligibility.Disallowed)
	}
	if r := ReasonNamed("cookie"); r != (Reason{}) {
		t.Errorf("what is no reason of a verdict is explained: %+v", r)
	}
}

func TestEveryResponseThatDidNotCountIsExplained(t *testing.T) {
	for why := eligibility.Method; int(why) < eligibility.Reasons; why++ {
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
