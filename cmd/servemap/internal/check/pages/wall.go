package pages

import (
	"bytes"
	"net/http"
	"slices"
	"strings"

	"github.com/servemap/servemap/internal/page/html"
)

// wall is a service that keeps programs out.
type wall struct {
	name    string
	headers []string // each begins with a name; the value may be left out
	marks   []string // in its text, in lower case
	// most is how many letters an answer may have that no status tells from a page: walls answer with 200 too, and say
	// little then. It is 0 if the status must refuse.
	most int
}

var walls = []wall{
	{"Cloudflare", []string{"Cf-Mitigated: challenge"}, []string{"<title>just a moment...</title>"}, 1500},
	{"Cloudflare", nil, []string{"challenges.cloudflare.com", "/cdn-cgi/challenge-platform", "cf-chl", "cf_chl",
		"<title>just a moment", "attention required! | cloudflare", "cf-error-details", " used cloudflare"}, 0},
	{"AWS WAF", []string{"X-Amzn-Waf-Action"}, []string{"awswaf.com", "awswafintegration"}, 0},
	{"DataDome", []string{"X-Datadome: protected", "X-Dd-B"}, []string{"captcha-delivery.com"}, 0},
	{"Imperva", nil, []string{"incapsula incident id"}, 1500},
	{"Imperva", nil, []string{"_incapsula_resource"}, 50}, // which stands in the pages that it lets through, too
	{"HUMAN", nil, []string{"px-captcha", "_pxcaptcha", "perimeterx"}, 0},
	{"Sucuri", nil, []string{"sucuri website firewall", "sucuri_cloudproxy_js"}, 1500},
	{"Akamai", []string{"Server: AkamaiGHost"}, []string{"errors.edgesuite.net"}, 0},
	{"DDoS-Guard", []string{"Server: ddos-guard"}, nil, 0},
	{"Vercel", []string{"X-Vercel-Mitigated"}, []string{"vercel security checkpoint"}, 0},
	{"Anubis", nil, []string{"<title>making sure you're not a bot", "<title>making sure you&#39;re not a bot",
		"<title>making sure you’re not a bot", "/.within.website/x/cmd/anubis"}, 1500},
	{"Kasada", []string{"X-Kpsdk-Ct"}, []string{"kpsdk"}, 0},
	{"SiteGround", []string{"Sg-Captcha: challenge"}, []string{"/.well-known/sgcaptcha"}, 1500},
	{"Wordfence", nil, []string{"wordfence"}, 0},
	{"Radware", nil, []string{"validate.perfdrive.com", "radware bot manager"}, 1500},
	{"a bot wall", nil, []string{"are you a robot", "are you human", "you are human", "you are a human", "you're human",
		"not a robot", "enable javascript and cookies to continue", "unusual traffic", "checking your browser",
		"bot detect", "automated access", "automated requests", "g-recaptcha", "h-captcha", "hcaptcha.com",
		"challenge-form"}, 0},
}

// refusals are the statuses of walls that say that they refuse.
var refusals = []int{
	http.StatusAccepted, http.StatusUnauthorized, http.StatusForbidden, http.StatusMethodNotAllowed,
	http.StatusTooManyRequests, http.StatusServiceUnavailable,
}

// WallBytes is how much of an answer shows whether it is a wall's.
const WallBytes = 64 << 10

// Wall returns the name of the bot wall that answered in place of a site, "" for none. body is what the answer begins
// with. For check and crawl this is the one law of what a wall is.
func Wall(status int, h http.Header, body []byte) string {
	refuses := slices.Contains(refusals, status)
	begin := body[:min(len(body), WallBytes)]
	text := bytes.ToLower(begin)
	for _, w := range walls {
		if !refuses && w.most == 0 {
			continue
		}
		for _, header := range w.headers {
			name, value, has := strings.Cut(header, ": ")
			if got := h.Get(name); got != "" && (!has || strings.EqualFold(got, value)) {
				return w.name
			}
		}
		if !slices.ContainsFunc(w.marks, func(mark string) bool { return bytes.Contains(text, []byte(mark)) }) {
			continue
		}
		if refuses || letters(html.Read(begin, html.Options{}).Blocks) < w.most {
			return w.name
		}
	}
	return ""
}
