package location

import (
	"cmp"
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/servemap/servemap/internal/page/words"
)

// parseParams checks the setting Params.
func parseParams(keys []string) (map[string]bool, error) {
	allowed := make(map[string]bool, len(keys))
	for _, k := range keys {
		if err := CheckParam(k); err != nil {
			return nil, fmt.Errorf("%s: %w", words.Say("{Query}"), err)
		}
		allowed[k] = true
	}
	return allowed, nil
}

// CheckParam returns an error if key cannot be the key of an allowed parameter, in Config.Params or
// from Config.More.
func CheckParam(key string) error {
	if _, _, bad := normal(key, inKey); key == "" || bad != ReasonNone || strings.ContainsAny(key, "*%,") {
		such, _, _ := strings.Cut(strings.TrimLeft(key, "?&"), "=")
		such, _, _ = strings.Cut(such, ",") // several in one text
		if such == key || CheckParam(such) != nil {
			such = "page"
		}
		const text = "%q is not the name of a parameter, such as %q; name each alone, without wildcards, escapes or value"
		return fmt.Errorf(text, key, such)
	}
	if IsSession(key) {
		return fmt.Errorf("%s holds a visitor's session and makes no page; leave it out", key)
	}
	return nil
}

// withQuery returns the location of a path in normal form with a query, its parameters in their order. From a link it
// drops those that track or hold a session. A request with such a parameter has no location, since the site may answer
// it with a page for a campaign or for one visitor. A defect makes the whole query malformed, since two programs may
// read it differently. Programs also differ over a parameter that comes twice: then the page's own canonical decides.
func (n *Normalizer) withQuery(path, query string, link bool) Result {
	var (
		result    Result
		more      []string
		out       = path
		separator = "?"
		asked     = n.more == nil
		keys      []string
	)
	for pair := range strings.SplitSeq(query, "&") {
		key, value, _ := strings.Cut(pair, "=")
		split := strings.Contains(value, ";") // some servers split there too
		key, name, badKey := normal(key, inKey)
		value, text, reason := normal(value, inValue)
		bad := reason != ReasonNone || text == ""
		allowed := n.params[name] || name == "page" && !bad && isPageValue(text)
		if !allowed && !asked {
			more, asked = n.more(path), true
		}
		allowed = allowed || slices.Contains(more, name)
		switch {
		case key == "" || badKey != ReasonNone:
			return Result{Reason: ReasonQuery}
		case !allowed && Tracks(name) && !split:
			if !link {
				return Result{Reason: ReasonQuery}
			}
			continue
		case bad:
			return Result{Reason: ReasonQuery}
		case HasEmail(text):
			return Result{Reason: ReasonEmail}
		}
		if !allowed || split || slices.Contains(keys, name) {
			result.Reason, result.OwnQuery = ReasonQuery, true
		}
		keys = append(keys, name)
		out += separator + key + "=" + value
		separator = "&"
	}
	result.Location = out
	return result
}

// Sorted returns a location with its parameters sorted by key, to compare it with others. Locations were once stored in
// this order, so a bar that the owner set then still holds.
func Sorted(location string) string {
	path, query, _ := strings.Cut(location, "?")
	if !strings.Contains(query, "&") {
		return location
	}
	pairs := strings.Split(query, "&")
	slices.SortFunc(pairs, func(a, b string) int {
		keyA, valueA, _ := strings.Cut(a, "=")
		keyB, valueB, _ := strings.Cut(b, "=")
		return cmp.Or(strings.Compare(keyA, keyB), strings.Compare(valueA, valueB))
	})
	return path + "?" + strings.Join(pairs, "&")
}

// index matches a folder with the file that a server shows for it.
var index = regexp.MustCompile(`^(.*/)index\.\pL{2,5}(\?.*)?$`)

// Folder returns the folder that a location most likely shows by its name, with its query: "/blog/" for
// "/blog/index.php". It returns "" for others.
func Folder(location string) string {
	if is := index.FindStringSubmatch(location); is != nil {
		return is[1] + is[2]
	}
	return ""
}

// maxPageWord is how many characters the value of "page" may have if the owner has not named that parameter. A longer
// word, or one with more digits than pageValue takes, may be an address, a search or a secret.
const maxPageWord = 24

// pageValue matches a decoded value that is a number or a short word, such as "2", "last", "part-2" or "über-uns". Then
// "page" is the number of a page in a list, or names a page of a small site.
var pageValue = regexp.MustCompile(`^(?:[0-9]{1,6}|[\pL\pM_-]*(?:[0-9][\pL\pM_-]*){0,4})$`)

func isPageValue(s string) bool {
	return pageValue.MatchString(s) && utf8.RuneCountInString(s) <= maxPageWord
}

// Tracks reports whether a parameter of that name follows visitors, or holds their session, and never selects a page.
func Tracks(key string) bool { return tracking.MatchString(key) || IsSession(key) }

// tracking matches the parameters that say only where a visitor came from, some of them families with one beginning.
// Names such as "ref" or "source" are not there: on some sites they are filters.
var tracking = regexp.MustCompile(`(?i)^(?:utm_|ga_|mtm_|pk_|piwik_|hsa_|at_|nb_|sc_|ss_|et_|ir_|cx_|fb_|hmb_|itm_|ml_|oly_|vero_|brave-|cm_mmc` +
	`|(?:` +
	`gclid|gclsrc|dclid|gbraid|wbraid|gad_source|gad_campaignid|srsltid|gs_l|usqp|fbclid|msclkid|yclid|ymclid|` +
	`ysclid|yadclid|yadordid|ttclid|twclid|li_fat_id|rdt_cid|igshid|igsh|irclickid|irgwc|ircid|clickid|awclid|` +
	`s_kwcid|s_cid|s_campaign|ef_id|dicbo|tblci|_openstat|mc_cid|mc_eid|ck_subscriber_id|_kx|mkt_tok|_hsenc|_hsmi|` +
	`__hssc|__hstc|__hsfp|hsctatracking|_bhlid|_branch_match_id|_branch_referrer|guccounter|guce_referrer|` +
	`guce_referrer_sig|wickedid|__s|action_object_map|action_ref_map|action_type_map|sms_click|sms_source|sms_uph|` +
	`eblastid|h_sid|h_slt|ex_cid)$)`)

// Without yields a location that has a query without each of its parameters.
func Without(location string) iter.Seq[string] {
	path, query, _ := strings.Cut(location, "?")
	params := strings.Split(query, "&")
	return func(yield func(string) bool) {
		for i := range params {
			rest := slices.Delete(slices.Clone(params), i, i+1)
			if !yield(strings.TrimSuffix(path+"?"+strings.Join(rest, "&"), "?")) {
				return
			}
		}
	}
}
