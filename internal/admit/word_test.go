package admit

import (
	"strings"
	"testing"
)

func TestWordOf(t *testing.T) {
	for want, locations := range map[Word]string{
		Plain: "/ /about /blog/hello-world /blog/presets /border/orderly /blog/how-to-delete-files /delete.html /a?delete " +
			"/errors-in-history /blog/error-messages-explained /area-404 /header-bidding /help /menu /news/2024 /rooms/401-b " +
			"/customer-stories /a?page=404 /carts /manual/delete.html /manual/function.delete.php /carts.php /logout.png /logout. " +
			"/.php /index.php /how-to-delete.php",
		Utility: "/404 /404.html /500 /Error /offline /thank-you /thank_you/ /contact/thanks /logged-out /header /_partials/menu " +
			"/fragments/menu /ajax/comments /dashboard /dashboard/sales /backoffice /staff /logs /config /customers/export",
		Risky: "/reset-password/abc /RESET/abc /forgot_password /invite/Ab3kZ9 /share/summer-party /orders/100234/thank-you /wp-admin/ " +
			"/debug/pprof/ /actuator /library/token.html /blog/how-to-reset-your-router /logs/search /reset.php",
		Secret: "/404/3f2504e0-4f89-41d3-9a0c-0305e82c3301 /d/3f2504e0-4f89-41d3-9a0c-0305e82c3301 " +
			"/reset/3f2504e0-4f89-41d3-9a0c-0305e82c3301",
		Action: "/u/unsubscribe/42 /logout /user/log_out /wiki/Page/edit /Cart /dashboard/logout " +
			"/3f2504e0-4f89-41d3-9a0c-0305e82c3301/delete /logout.php /LogOut.aspx /log_out.do /logout.jsp /user/signout.action " +
			"/shop/add_to_cart.cgi /delete.php /edit.asp /remove.cfm /unsubscribe.pl /cart.html /logout.htm /logout.php/now",
	} {
		for location := range strings.FieldsSeq(locations) {
			if got := WordOf(location, false); got != want {
				t.Errorf("%s: word %d, want %d", location, got, want)
			}
		}
	}
}

func TestWhichEvidenceListsALocationWithAWord(t *testing.T) {
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
