package texts

import (
	"strings"
	"testing"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/location"
)

func TestEveryReasonOfAVerdictIsExplained(t *testing.T) {
	for why := admit.ByRule; why <= admit.Disallowed; why++ { // reasons that a verdict can carry
		r := ReasonNamed(why.String())
		if !strings.HasSuffix(r.Page, ".") || !strings.HasSuffix(r.Means, ".") || r.Todo != "" && !strings.HasSuffix(r.Todo, ".") {
			t.Errorf("%v: %+v, want sentences", why, r)
		}
		if r.Care != Fine && r.Care != Meant && r.Care != Wait && r.Care != Look || (why <= admit.ByHistory) != (r.Care == Fine) {
			t.Errorf("%v: %q", why, r.Care)
		}
	}
	if n := len(Reasons()); n != int(admit.Disallowed) {
		t.Errorf("%d reasons are explained, want %d", n, admit.Disallowed)
	}
	if r := ReasonNamed("cookie"); r != (Reason{}) {
		t.Errorf("what is no reason of a verdict is explained: %+v", r)
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
