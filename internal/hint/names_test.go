package hint

import (
	"strings"
	"testing"
)

func TestAHintWithNames(t *testing.T) {
	h, log := logged()
	h.Name(Cookies, nil)
	h.Name(Cookies, []string{"sid", "visit_*"})
	if len(h.Texts()) != 0 || log.Len() != 0 {
		t.Errorf("a hint that was not given says %q, log %q", h.Texts(), log)
	}
	h.Give(Cookies)
	h.Give(Host)
	all := strings.Join(h.Texts(), "\n")
	if strings.Count(all, "Most had: sid, visit_*.") != 1 || strings.Count(log.String(), "Most had: sid, visit_*.") != 1 {
		t.Errorf("the hints say %q, the log %q", all, log)
	}
	if strings.Contains(Cookies.Text(), "sid") {
		t.Errorf("what strangers read is %q", Cookies.Text())
	}
	var none *Hints
	none.Name(Cookies, []string{"sid"})
	h.Name(end, []string{"sid"})
}
