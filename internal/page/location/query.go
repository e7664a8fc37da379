package location

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/servemap/servemap/internal/page/words"
)

// param is a parameter in normal form.
type param struct{ key, value string }

// parseParams checks the setting Params.
func parseParams(keys []string) (map[string]bool, error) {
	if keys == nil {
		keys = []string{"page"}
	}
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
	if key == "" || len(key) > maxValue || !isRaw(key, inKey) || strings.Contains(key, "*") {
		return fmt.Errorf("%q is not the name of a parameter, such as \"page\"; name each alone, without wildcards or value, in at most %d bytes", key, maxValue)
	}
	return nil
}

// canonicalQuery returns the location of a path in normal form with a query, its parameters sorted by
// key. Those that track are dropped from a link. A request with them has no location, since the site may
// answer it with a page for a campaign or for one visitor. One defect makes the whole query malformed, since
// two programs may read it differently.
func (n *Normalizer) canonicalQuery(path, query string, link bool) Result {
	var (
		result Result
		params []param
		more   []string
	)
	asked := n.more == nil
	for pair := range strings.SplitSeq(query, "&") {
		key, value, _ := strings.Cut(pair, "=")
		if key == "" || !isRaw(key, inKey) || strings.Contains(value, ";") { // some servers split there too
			return Result{Reason: ReasonQuery}
		}
		value, text, reason := normal(value, inValue)
		bad := reason != ReasonNone || text == "" || len(text) > maxValue
		allowed := n.params[key] && (n.given || !bad && isPageValue(text))
		if !allowed && !asked {
			more, asked = n.more(path), true
		}
		allowed = allowed || slices.Contains(more, key)
		switch {
		case !allowed && tracking.MatchString(key):
			if !link {
				return Result{Reason: ReasonQuery}
			}
			continue
		case bad:
			return Result{Reason: ReasonQuery}
		case HasEmail(text):
			return Result{Reason: ReasonEmail}
		}
		i, twice := slices.BinarySearchFunc(params, key, func(p param, key string) int { return strings.Compare(p.key, key) })
		if twice || len(params) == maxParams {
			return Result{Reason: ReasonQuery}
		}
		params = slices.Insert(params, i, param{key, value})
		if !allowed {
			result.Reason, result.OwnQuery = ReasonQuery, true
		}
	}
	result.Location = joined(path, params)
	return result
}

// joined returns the path followed by the parameters.
func joined(path string, params []param) string {
	separator := "?"
	for _, p := range params {
		path += separator + p.key + "=" + p.value
		separator = "&"
	}
	return path
}

// maxPageWord is how many characters a word has that is the value of "page", if the owner has not named that
// parameter. A longer one, or one with more digits than pageValue takes, may be an address, a search or a secret.
const maxPageWord = 24

// pageValue matches a decoded value that is a number or a short word, such as "2", "last", "part-2" or "über-uns". Then
// "page" is the number of a page in a list, or names a page of a small site.
var pageValue = regexp.MustCompile(`^(?:[0-9]{1,6}|[\pL\pM_-]*(?:[0-9][\pL\pM_-]*){0,4})$`)

func isPageValue(s string) bool {
	return pageValue.MatchString(s) && utf8.RuneCountInString(s) <= maxPageWord
}

// isRaw reports whether every byte of s has the bit.
func isRaw(s string, bit uint8) bool {
	for i := range len(s) {
		if class[s[i]]&bit == 0 {
			return false
		}
	}
	return true
}

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
