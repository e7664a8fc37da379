package admit

import (
	"net/http"
	"slices"
	"strings"
	"testing"
)

// cookiesOfEverybody are names of cookies that any visitor's browser may hold.
var cookiesOfEverybody = []struct{ what, names string }{
	{"csrf tokens", "csrftoken _csrf XSRF-TOKEN csrf_token _csrfToken csrf_ _xsrf _gorilla_csrf __RequestVerificationToken __RequestVerificationToken_L215YXBw0 " +
		".AspNetCore.Antiforgery.cdV5uW_Ejgc __Host-next-auth.csrf-token YII_CSRF_TOKEN csrf_cookie_name"},
	{"theme", "theme color-scheme color_mode dark_mode darkMode"},
	{"language", "lang language locale i18n i18next i18n_redirected NEXT_LOCALE django_language pll_language wp-wpml_current_language _icl_visitor_lang_js .AspNetCore.Culture"},
	{"consent", "OptanonConsent OptanonAlertBoxClosed CookieConsent cookieconsent_status cookielawinfo-checkbox-analytics viewed_cookie_policy cookieyes-consent cookie_notice_accepted CookieScriptConsent " +
		"euconsent-v2 FCCDCF didomi_token osano_consentmanager borlabs-cookie cmplz_banner-status cmplz_consented_services tarteaucitron axeptio_cookies klaro moove_gdpr_popup cc_cookie _iub_cs-12345678 " +
		"real_cookie_banner-v:3_blog:1_path:abc"},
	{"analytics", "_ga _ga_1A2B3C4D5E _gid _gat_gtag_UA_1_1 _gcl_au _dc_gtm_UA-1-1 __utmz _pk_id.1.1fff _pk_ses.1.1fff _hjSession_123 _hjSessionUser_123 _fbp _fbc _clck _clsk _uetsid _uetvid MUID _ttp " +
		"_scid _pin_unauth _rdt_uuid li_fat_id _ym_uid _ym_d _ym_isad _ym_visorc _ym_visorc_123 __hstc __hssc __hssrc hubspotutk ajs_anonymous_id mp_0123456789abcdef0123456789abcdef_mixpanel " +
		"AMP_0123456789 AMP_MKTG_0123456789 amp_a1b2c3 amplitude_id_0123456789abcdef0123456789abcdefexample.com Hm_lvt_0123456789abcdef0123456789abcdef _sp_id.1fff AMCV_0123%40AdobeOrg " +
		"kndctr_0123_AdobeOrg_identity optimizelyEndUserId _vis_opt_exp_7_combi _vwo_uuid_v2 _dd_s NREUM rxVisitor __qca"},
	{"balancers and guards", "__cf_bm __cfruid _cfuvid cf_clearance AWSALB AWSALBCORS aws-waf-token ARRAffinity BIGipServerpool_web TS01a1b2c3 visid_incap_123 incap_ses_123_456 nlbi_123 ak_bmsc bm_sz _abck datadome _px3 _pxvid GCLB"},
}

// cookiesOfSomebody are sessions, and cookies that are set for logged-in users.
var cookiesOfSomebody = []string{
	"PHPSESSID", "JSESSIONID", "ASP.NET_SessionId", "ASPSESSIONIDQADTCRAB", ".ASPXAUTH", ".AspNetCore.Cookies", ".AspNetCore.Session", ".AspNetCore.Identity.Application",
	"sessionid", "session", "session_id", "sid", "connect.sid", "laravel_session", "ci_session", "_shop_session", "gorilla", "session-name", "auth-session", "user-session",
	"_ga_session", "_ga_sessionid", "_ga_sid", "_gac_auth", "_gat_token", "_gcl_user", "_hj_session", "_pk_session", "_dc_gtm_login",
	"amp_session", "amp_id", "amp_user", "AMP_TOKEN", "AMP_SESSION", "AMP_ID", "mp_session", "mp_x_mixpanel", "mp_session_mixpanel", "Hm_lvt_session", "amplitude_id_session",
	"cookieconsent_session", "cmplz_user_data", "cookielawinfo-auth", "BIGipServer_session", "real_cookie_banner_token", "AMCV_session", "TS01session", "TS01",
	"ajs_user_id", "ajs_group_id", "pa_user", "ai_session", "ai_user", "intercom-session-abc", "remember_token", "remember_me", "auth_token", "access_token", "id_token", "token", "jwt",
	"wordpress_logged_in_0123456789abcdef0123456789abcdef", "wordpress_sec_abc", "wp-settings-1", "wp-settings-time-1", "comment_author_abc", "comment_author_email_abc",
	"MATOMO_SESSID", "next-auth.session-token", "__Secure-next-auth.session-token", "authjs.session-token", "_oauth2_proxy", "_oauth2_proxy_csrf", "CF_Authorization",
	"AWSELBAuthSessionCookie-0", "AWSALBAuthNonce", "_forum_session", "user", "user_id", "username", "email", "cart", "cart_id", "woocommerce_cart_hash", "wp_woocommerce_session_abc",
	"messages", "flash", "currency", "basket", "customer", "account", "member", "themes", "theme_session", "langs", "locale_user", "csrf_session", "Theme", "CSRFTOKEN",
}

func TestCookiesThatEveryVisitorGets(t *testing.T) {
	for _, group := range cookiesOfEverybody {
		for name := range strings.FieldsSeq(group.names) {
			if why := Credentials(get(t, "Cookie: "+name+"=1"), Cookies{}); why != None {
				t.Errorf("%s: %s is %v", group.what, name, why)
			}
		}
	}
}

func TestCookiesThatMayStandForAUser(t *testing.T) {
	for _, name := range cookiesOfSomebody {
		if why := Credentials(get(t, "Cookie: "+name+"=1"), Cookies{}); why != Cookie {
			t.Errorf("%s is %v", name, why)
		}
	}
}

// No wildcard of the built-in set matches the name of a session.
func TestNoPatternTakesASession(t *testing.T) {
	for _, w := range benignCookies.wildcard {
		for _, end := range []string{"session", "_session", "Session", "sessionid", "SESSID", "sid", "-sid", ".sid", "auth", "authToken", "token", "user", "user_id", "login", "jwt"} {
			if name := w.start + end; (Cookies{}).benign(name) {
				t.Errorf("%+v takes %s", w, name)
			}
		}
	}
}

func TestNamesOfCookiesThatMakeAClientKnown(t *testing.T) {
	r := get(t, "Cookie: _ga=1; sid=a=b;theme=dark; =x; word; cart=2\nCookie: lang=de; zzz=3")
	got := slices.Collect(NewCookies([]string{"cart"}).Telling(r.Header))
	if want := []string{"sid", "", "", "zzz"}; !slices.Equal(got, want) {
		t.Errorf("names %q, want %q", got, want)
	}
	if got := slices.Collect(Cookies{}.Telling(http.Header{})); got != nil {
		t.Errorf("without cookies there are %q", got)
	}
}

func TestCookiesThatAResponseGives(t *testing.T) {
	for _, tt := range []struct {
		name  string
		lines []string
		want  bool
	}{
		{"none", nil, false},
		{"a session", []string{"PHPSESSID=1; path=/"}, true},
		{"only what changes the look", []string{"theme=dark"}, false},
		{"one of the owner's", []string{"visit=1"}, false},
		{"a session among others", []string{"theme=dark", " sid =1; HttpOnly"}, true},
		{"what is no cookie", []string{"sid", ""}, false},
	} {
		if got := NewCookies([]string{"visit"}).Given(http.Header{"Set-Cookie": tt.lines}); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}
