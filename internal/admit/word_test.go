package admit

import "testing"

func TestWordOf(t *testing.T) {
	tests := []struct {
		location string
		want     Word
	}{
		{"/", Plain},
		{"/about", Plain},
		{"/blog/hello-world", Plain},
		{"/reset-password/abc", Risky},
		{"/RESET/abc", Risky},
		{"/forgot_password", Risky},
		{"/u/unsubscribe/42", Action},
		{"/invite/Ab3kZ9", Risky},
		{"/share/summer-party", Risky},
		{"/orders/100234/thank-you", Risky},
		{"/wp-admin/", Risky},
		{"/debug/pprof/", Risky},
		{"/actuator", Risky},
		{"/library/token.html", Risky},
		{"/blog/how-to-reset-your-router", Risky},
		{"/blog/presets", Plain},
		{"/border/orderly", Plain},
		{"/logout", Action},
		{"/user/log_out", Action},
		{"/wiki/Page/edit", Action},
		{"/Cart", Action},
		{"/blog/how-to-delete-files", Plain},
		{"/delete.html", Plain},
		{"/a?delete", Plain},
		{"/404", Utility},
		{"/404.html", Utility},
		{"/500", Utility},
		{"/Error", Utility},
		{"/offline", Utility},
		{"/thank-you", Utility},
		{"/thank_you/", Utility},
		{"/contact/thanks", Utility},
		{"/logged-out", Utility},
		{"/header", Utility},
		{"/_partials/menu", Utility},
		{"/fragments/menu", Utility},
		{"/ajax/comments", Utility},
		{"/dashboard", Utility},
		{"/dashboard/sales", Utility},
		{"/backoffice", Utility},
		{"/staff", Utility},
		{"/logs", Utility},
		{"/config", Utility},
		{"/customers/export", Utility},
		{"/logs/search", Risky},
		{"/dashboard/logout", Action},
		{"/404/3f2504e0-4f89-41d3-9a0c-0305e82c3301", Secret},
		{"/errors-in-history", Plain},
		{"/blog/error-messages-explained", Plain},
		{"/area-404", Plain},
		{"/header-bidding", Plain},
		{"/help", Plain},
		{"/menu", Plain},
		{"/news/2024", Plain},
		{"/rooms/401-b", Plain},
		{"/customer-stories", Plain},
		{"/a?page=404", Plain},
		{"/carts", Plain},
		{"/d/3f2504e0-4f89-41d3-9a0c-0305e82c3301", Secret},
		{"/reset/3f2504e0-4f89-41d3-9a0c-0305e82c3301", Secret},
		{"/3f2504e0-4f89-41d3-9a0c-0305e82c3301/delete", Action},
	}
	for _, tt := range tests {
		t.Run(tt.location, func(t *testing.T) {
			if got := WordOf(tt.location, false); got != tt.want {
				t.Errorf("word %d, want %d", got, tt.want)
			}
		})
	}
}

func TestWhatMakesUpForAWord(t *testing.T) {
	many := Evidence{Networks: 99, Siblings: 99}
	tests := []struct {
		name    string
		word    Word
		ev      Evidence
		listing Listing
		want    Verdict
		reason  Reason
	}{
		{"risky, networks", Risky, many, Auto, Held, RiskyWord},
		{"risky, route", Risky, Evidence{Route: true}, Auto, Held, RiskyWord},
		{"risky, link", Risky, Evidence{Link: true}, Auto, Held, RiskyWord},
		{"risky, link shown to several", Risky, Evidence{Link: true, Shown: true}, Auto, Listed, ByLink},
		{"risky, link that is not there for one visitor", Risky, Evidence{Link: true, Unprompted: true}, Auto, Listed, ByLink},
		{"risky, link and route", Risky, Evidence{Link: true, Route: true}, Auto, Held, RiskyWord},
		{"risky, link shown to several and route", Risky, Evidence{Link: true, Shown: true, Route: true}, Auto, Listed, ByLink},
		{"risky, entry", Risky, Evidence{Entry: true}, Auto, Listed, ByEntry},
		{"risky, rule", Risky, Evidence{}, Always, Listed, ByRule},
		{"risky, nothing", Risky, Evidence{}, Auto, Held, RiskyWord},
		{"risky, an entry redirects to it", Risky, Evidence{Led: true}, Auto, Held, RiskyWord},
		{"risky, an entry redirects everybody to it", Risky, Evidence{Led: true, Shown: true}, Auto, Listed, ByLink},
		{"risky, was listed", Risky, Evidence{Before: true}, Auto, Listed, ByHistory},
		{"utility, networks", Utility, many, Auto, Held, RiskyWord},
		{"utility, route", Utility, Evidence{Route: true}, Auto, Held, RiskyWord},
		{"utility, route and networks", Utility, with(many, func(ev *Evidence) { ev.Route = true }), Auto, Held, RiskyWord},
		{"utility, link", Utility, Evidence{Link: true}, Auto, Listed, ByLink},
		{"utility, link and route", Utility, Evidence{Link: true, Route: true}, Auto, Listed, ByLink},
		{"utility, entry", Utility, Evidence{Entry: true}, Auto, Listed, ByEntry},
		{"utility, rule", Utility, Evidence{}, Always, Listed, ByRule},
		{"utility, was listed", Utility, Evidence{Before: true}, Auto, Listed, ByHistory},
		{"action, link", Action, Evidence{Link: true}, Auto, Held, ActionWord},
		{"action, route", Action, Evidence{Route: true}, Auto, Held, ActionWord},
		{"action, networks", Action, many, Auto, Held, ActionWord},
		{"action, entry", Action, Evidence{Entry: true}, Auto, Listed, ByEntry},
		{"action, an entry redirects to it", Action, Evidence{Led: true}, Auto, Held, ActionWord},
		{"secret, networks", Secret, many, Auto, Held, Capability},
		{"secret, route", Secret, Evidence{Route: true}, Auto, Held, Capability},
		{"secret, link", Secret, Evidence{Link: true}, Auto, Held, Capability},
		{"secret, link that is not there for one visitor", Secret, Evidence{Link: true, Unprompted: true}, Auto, Held, Capability},
		{"secret, link shown to several", Secret, Evidence{Link: true, Shown: true}, Auto, Listed, ByLink},
		{"secret, an entry redirects to it", Secret, Evidence{Led: true}, Auto, Held, Capability},
		{"secret, an entry redirects everybody to it", Secret, Evidence{Led: true, Shown: true}, Auto, Listed, ByLink},
		{"secret, entry", Secret, Evidence{Entry: true}, Auto, Listed, ByEntry},
		{"secret, rule", Secret, Evidence{}, Always, Listed, ByRule},
		{"secret, was listed", Secret, Evidence{Before: true}, Auto, Listed, ByHistory},
		{"action, rule", Action, Evidence{}, Always, Listed, ByRule},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.ev.Word = tt.word
			if got, why := Decide(tt.ev, tt.listing, None, 3, false); got != tt.want || why != tt.reason {
				t.Errorf("%v because of %v, want %v because of %v", got, why, tt.want, tt.reason)
			}
		})
	}
}

func TestAVariableNamedLikeASecret(t *testing.T) {
	for location, want := range map[string]Word{"/x/winter": Secret, "/x/invite": Secret, "/x/logout": Action} {
		if got := WordOf(location, true); got != want {
			t.Errorf("%s: word %d, want %d", location, got, want)
		}
	}
}
