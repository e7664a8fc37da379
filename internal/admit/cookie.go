package admit

import (
	"iter"
	"net/http"
	"slices"
	"strings"
)

// benignCookies are names of cookies that do not say who is asking: a site, its tools or its load
// balancer set them for every visitor. "*" stands for any characters without a word like "session";
// see sessionLike. "#" stands for six or more hexadecimal digits. Session names of frameworks are
// not here. Nor are cookies that analytics tools set once they know the user, such as
// "ajs_user_id".
var benignCookies = newPatterns(
	// Tokens against forged requests. They change nothing in a page but its forms.
	"csrftoken csrf-token csrf_token csrfToken _csrf _csrf_token _csrfToken csrf csrf_ csrf_cookie csrf_cookie_name _xsrf XSRF-TOKEN CSRF-TOKEN "+
		"X-CSRF-TOKEN X-XSRF-TOKEN YII_CSRF_TOKEN _csrf-frontend _csrf-backend _gorilla_csrf __Host-csrf __Host-csrf_token __Host-csrf-token "+
		"__Secure-csrf __Secure-csrf_token __RequestVerificationToken __RequestVerificationToken_* .AspNetCore.Antiforgery.* "+
		"next-auth.csrf-token __Host-next-auth.csrf-token authjs.csrf-token __Host-authjs.csrf-token",

	// What the page should look like.
	"theme theme-mode theme_mode themeMode color-scheme color_scheme colorscheme colorScheme color-mode color_mode colorMode colormode "+
		"preferred_color_mode prefers-color-scheme dark dark-mode dark_mode darkMode darkmode nightmode night_mode nuxt-color-mode "+
		"chakra-ui-color-mode mantine-color-scheme",

	// Its language.
	"lang Lang LANG language locale LOCALE i18n i18next i18n_redirected i18n_lang NEXT_LOCALE PARAGLIDE_LOCALE nf_lang django_language "+
		"preferred_language site_lang frontend_lang pll_language wp_lang wp-wpml_current_language _icl_current_language "+
		"_icl_visitor_lang_js wpml_browser_redirect_test trp_language qtrans_front_language googtrans .AspNetCore.Culture",

	// Consent to cookies.
	"OptanonConsent OptanonAlertBoxClosed eupubconsent eupubconsent-v2 euconsent euconsent-v2 usprivacy addtl_consent "+
		"CookieConsent CookieConsentPolicy cookieconsent* cookie-consent cookie_consent cookies-consent cookies_consent cookieConsent "+
		"cookie_accepted cookies_accepted cookieAccepted cookiesAccepted cc_cookie CookieControl gdpr gdpr_consent moove_gdpr_popup "+
		"cookielawinfo-* CookieLawInfoConsent viewed_cookie_policy cli_user_preference cookieyes-consent cky-consent cookie_notice_accepted "+
		"CookieScriptConsent cmplz_* complianz_policy_id complianz_consent_status borlabs-cookie real_cookie_banner* tarteaucitron klaro "+
		"axeptio_cookies axeptio_authorized_vendors axeptio_all_vendors didomi_token osano_consentmanager osano_consentmanager_uuid "+
		"_iub_cs-* _iub_previous_preference_id FCCDCF FCNEC FCOEC _evidon_consent_cookie notice_behavior notice_preferences notice_gdpr_prefs cmapi_cookie_privacy "+
		"cmapi_gtm_bl TAconsentID consentUUID consentDate cookie-agreed cookie-agreed-version cookie-agreed-categories "+
		"__hs_opt_out __hs_do_not_track __hs_initial_opt_in __hs_cookie_cat_pref __hs_gpc_banner_dismiss mtm_consent mtm_consent_removed "+
		"mtm_cookie_consent",

	// Analytics and advertising.
	"_ga _ga_* _gac_* _gid _gat _gat_* _gcl_* _dc_gtm_* _gaexp _gaexp_rc FPID FPLC FPAU __gads __gpi __gpi_optout __eoi "+
		"__utma __utmb __utmc __utmt __utmv __utmz "+
		"_pk_id.* _pk_ses.* _pk_ref.* _pk_cvar.* _pk_hsr.* _sp_id.* _sp_ses.* "+
		"_hjid _hjSession_* _hjSessionUser_* _hjFirstSeen _hjIncludedIn* _hjAbsoluteSessionInProgress _hjTLDTest "+
		"_fbp _fbc _clck _clsk _uetsid _uetvid _uetmsclkid MUID _ttp _tt_enable_cookie ttcsid ttcsid_* _scid _scid_r _sctr _ScCbts "+
		"_pin_unauth _derived_epik _epik _rdt_uuid _rdt_cid _twclid _twpid li_fat_id li_giant ln_or __qca _qca cto_bundle "+
		"_ym_uid _ym_d _ym_isad _ym_visorc _ym_visorc_* tmr_lvid tmr_lvidTS tmr_detect Hm_lvt_# Hm_lpvt_# HMACCOUNT UM_distinctid CNZZDATA* "+
		"__hstc __hssc __hssrc hubspotutk ajs_anonymous_id mp_#_mixpanel AMP_# AMP_MKTG_# amp_# amplitude_id_#* "+
		"_hp2_id.* _hp2_props.* _hp2_ses_props.* fs_uid fs_lua _ce.s _ce.clock_data _ce.clock_event cebs cebsp_ __insp_wid __insp_nv __insp_targlpu __insp_targlpt __insp_norec_sess __insp_slim __insp_uid __insp_sid __insp_ss _lo_uid _lo_v __lotl "+
		"AMCV_* AMCVS_* s_cc s_sq s_vi s_fid s_ppv s_ppvl s_nr mbox mboxEdgeCluster at_check kndctr_*_AdobeOrg_identity "+
		"kndctr_*_AdobeOrg_cluster kndctr_*_AdobeOrg_consent "+
		"_cb _cb_ls _cb_svref _chartbeat2 _parsely_visitor _parsely_session _pcid _pctx _pprv pa_privacy atidvisitor _et_coid "+
		"_dd_s NREUM dtCookie dtPC dtSa rxVisitor rxvt sc_is_visitor_unique is_visitor_unique "+
		"optimizelyEndUserId optimizelyBuckets optimizelySegments optimizelyRedirectData _vwo_uuid _vwo_uuid_v2 _vwo_ds _vwo_sn _vwo_consent "+
		"_vis_opt_s _vis_opt_test_cookie _vis_opt_exp_* ABTasty ABTastySession kameleoonVisitorCode _conv_v _conv_s _conv_r",

	// Load balancers, and protection against robots.
	"__cf_bm __cfruid _cfuvid __cflb cf_clearance AWSALB AWSALBCORS AWSALBTG AWSALBTGCORS aws-waf-token GCLB ARRAffinity ARRAffinitySameSite "+
		"ApplicationGatewayAffinity ApplicationGatewayAffinityCORS TiPMix x-ms-routing-name INGRESSCOOKIE SERVERID DO-LB BIGipServer* TS01# "+
		"visid_incap_* incap_ses_* nlbi_* reese84 ak_bmsc bm_sz bm_sv bm_mi bm_s bm_ss bm_so bm_lso _abck akaalb_* datadome "+
		"_px _px2 _px3 _pxvid _pxhd _pxde pxcts",
)

// patterns holds names of cookies, and patterns with "*" or "#".
type patterns struct {
	names    map[string]bool
	wildcard []wildcard
}

// wildcard is a parsed pattern.
type wildcard struct {
	start     string // before the "*" or "#"
	hex, star bool   // whether it has "#" and "*"; "#" comes first
	end       string // after them
}

func newPatterns(groups ...string) patterns {
	p := patterns{names: map[string]bool{}}
	for name := range strings.FieldsSeq(strings.Join(groups, " ")) {
		i := strings.IndexAny(name, "*#")
		if i < 0 {
			p.names[name] = true
			continue
		}
		w := wildcard{start: name[:i]}
		w.end, w.hex = strings.CutPrefix(name[i:], "#")
		w.end, w.star = strings.CutPrefix(w.end, "*")
		p.wildcard = append(p.wildcard, w)
	}
	return p
}

// match reports whether a name fits any of the patterns.
func (p patterns) match(name string) bool {
	if p.names[name] {
		return true
	}
	for i := range p.wildcard {
		if w := &p.wildcard[i]; strings.HasPrefix(name, w.start) && w.match(name[len(w.start):]) {
			return true
		}
	}
	return false
}

// match reports whether rest, a name without the pattern's start, fits the rest of the pattern.
// Some frameworks put the application's name into the session's, as in "_ga_session". So "*" does
// not match a word like session.
func (w *wildcard) match(rest string) bool {
	if w.hex {
		n := 0
		for n < len(rest) && isHex(rest[n]) {
			n++
		}
		if n < 6 {
			return false
		}
		rest = rest[n:]
	}
	if !w.star {
		return rest == w.end
	}
	any, ok := strings.CutSuffix(rest, w.end)
	return ok && !sessionLike(any)
}

func isHex(c byte) bool { return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f' }

// sessionLike reports whether a part of a cookie's name suggests that the cookie stands for a user.
func sessionLike(s string) bool {
	for i := range len(s) {
		for _, word := range [...]string{"sess", "auth", "token", "login", "user", "jwt"} {
			if len(s)-i >= len(word) && strings.EqualFold(s[i:i+len(word)], word) {
				return true
			}
		}
	}
	return len(s) >= 3 && strings.EqualFold(s[len(s)-3:], "sid")
}

// Cookies is a set of names of cookies that do not identify a client. The zero value is the
// built-in set. It is safe for concurrent use.
type Cookies struct{ own []string }

// NewCookies returns the built-in set plus names. A final "*" in a name stands for any ending.
func NewCookies(names []string) Cookies {
	return Cookies{own: append([]string(nil), names...)}
}

// Given reports whether a response with the header h sets a cookie that may identify a client.
func (c Cookies) Given(h http.Header) bool {
	return slices.ContainsFunc(h["Set-Cookie"], func(line string) bool {
		name, _, named := strings.Cut(line, "=")
		return named && !c.benign(strings.TrimSpace(name))
	})
}

func (c Cookies) benign(name string) bool {
	if benignCookies.match(name) {
		return true
	}
	for _, p := range c.own {
		if prefix, star := strings.CutSuffix(p, "*"); star && strings.HasPrefix(name, prefix) || p == name {
			return true
		}
	}
	return false
}

// Telling yields the name of each cookie that may identify the client. It yields "" for a part
// without "=", which has no name.
func (c Cookies) Telling(h http.Header) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, line := range h["Cookie"] {
			for part := range strings.SplitSeq(line, ";") {
				name, _, named := strings.Cut(part, "=")
				if name = strings.TrimSpace(name); !named {
					if name == "" {
						continue
					}
					name = ""
				}
				if !c.benign(name) && !yield(name) {
					return
				}
			}
		}
	}
}
