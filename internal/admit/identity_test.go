package admit

import (
	"net/http"
	"strings"
	"testing"
)

// namesOfUsers are headers in which proxies, log-in agents and TLS proxies tell an application who
// is asking, as their documentation spells them.
var namesOfUsers = []struct{ who, names string }{
	{"SiteMinder", "SM_USER SM_USERDN SMUSER SM_SERVERSESSIONID SM_SERVERIDENTITYSPEC SM_UNIVERSALID SM_AUTHTYPE SM-User"},
	{"IBM WebSEAL and Verify", "iv-user iv_user iv-user-l iv-groups iv-creds IV-JWT X-IBM-Client-Id X-IBM-Client-Secret $WSRU $WSCC"},
	{"Oracle Access Manager", "OAM_REMOTE_USER OAM_REMOTE_USER_EMAIL OAM_REMOTE_USER_GROUPS OAM_IDENTITY_DOMAIN OAM_IMPERSONATOR_USER OSSO-User-Dn Osso-Subscriber-Account Proxy-Remote-User"},
	{"OpenAM, ForgeRock, Ping", "X-OpenAM-Username X-ForgeRock-Session PA_USER PF-Auth-User X-Pingaccess-Subject X-PA-Token"},
	{"F5", "X-F5-Auth-User X-APM-Username X-APM-Session-Id X-F5-Client-Cert"},
	{"Okta", "X-Okta-User X-Okta-Login X-Okta-Email OKTA-Username X-Okta-Groups-Claim"},
	{"Citrix", "NSC_USER X-Citrix-Userid AAA_USER"},
	{"Azure", "X-MS-CLIENT-PRINCIPAL X-MS-CLIENT-PRINCIPAL-ID X-MS-CLIENT-PRINCIPAL-NAME X-MS-CLIENT-PRINCIPAL-IDP X-MS-TOKEN-AAD-ID-TOKEN X-MS-TOKEN-FACEBOOK-ACCESS-TOKEN " +
		"X-ZUMO-AUTH X-ARR-ClientCert Ocp-Apim-Subscription-Key X-Functions-Key X-MS-Proxy-UPN"},
	{"Google", "X-Goog-IAP-JWT-Assertion X-Goog-Authenticated-User-Email X-Goog-Authenticated-User-ID X-Serverless-Authorization X-Apigateway-Api-Userinfo X-Endpoint-API-UserInfo " +
		"X-Appengine-User-Email X-Appengine-User-Id X-Appengine-User-Nickname X-Goog-Api-Key X-Client-Cert-Hash X-Client-Cert-Present X-Client-Cert-Subject-Dn"},
	{"AWS", "X-Amzn-Oidc-Data X-Amzn-Oidc-Identity X-Amzn-Oidc-Accesstoken X-Amzn-Mtls-Clientcert X-Amzn-Mtls-Clientcert-Leaf X-Amzn-Mtls-Clientcert-Subject " +
		"X-Amz-Security-Token X-Amzn-Ava-User-Context CloudFront-Viewer-Cert-Subject X-Amz-Cognito-Identity-Id"},
	{"Cloudflare", "Cf-Access-Jwt-Assertion Cf-Access-Authenticated-User-Email Cf-Access-Client-Id Cf-Access-Client-Secret Cf-Access-Token Cf-Client-Cert-Der-Base64 Cf-Cert-Subject-Dn Cf-Cert-Presented"},
	{"Teleport", "Teleport-Jwt-Assertion X-Teleport-Username"},
	{"Pomerium", "X-Pomerium-Jwt-Assertion X-Pomerium-Claim-Email X-Pomerium-Claim-Groups X-Pomerium-Authorization"},
	{"Authelia", "Remote-User Remote-Groups Remote-Name Remote-Email"},
	{"authentik", "X-authentik-username X-authentik-groups X-authentik-email X-authentik-name X-authentik-uid X-authentik-jwt"},
	{"oauth2-proxy", "X-Forwarded-User X-Forwarded-Email X-Forwarded-Groups X-Forwarded-Preferred-Username X-Forwarded-Access-Token X-Auth-Request-User X-Auth-Request-Email " +
		"X-Auth-Request-Preferred-Username X-Auth-Request-Groups X-Auth-Request-Access-Token GAP-Auth"},
	{"Vouch", "X-Vouch-User X-Vouch-IdP-Claims-Email X-Vouch-IdP-AccessToken X-Vouch-Success"},
	{"Kong", "X-Consumer-ID X-Consumer-Custom-ID X-Consumer-Username X-Consumer-Groups X-Credential-Identifier X-Credential-Username X-Authenticated-Userid X-Authenticated-Scope"},
	{"other gateways", "X-Userinfo X-Access-Token X-ID-Token X-JWT-Assertion X-JWT-Payload X-Tyk-Authorization X-Apigee-Client-Id apikey X-API-Key Api-Key X-Gravitee-Api-Key X-RapidAPI-Key " +
		"X-RapidAPI-User X-Hasura-Role X-Hasura-User-Id X-Wso2-Username Dapr-Api-Token X-Gateway-Account"},
	{"Envoy and Istio", "X-Forwarded-Client-Cert X-Jwt-Claim-Sub X-Envoy-Auth-User X-Spiffe-Id"},
	{"nginx", "X-SSL-Client-Cert X-SSL-Client-S-DN X-SSL-Cert X-Client-Dn X-Client-Verify X-Client-Certificate ssl-client-cert ssl-client-subject-dn ssl-client-issuer-dn ssl-client-verify X-Ssl-Client-Fingerprint"},
	{"HAProxy", "X-SSL-Client-DN X-SSL-Client-CN X-SSL-Issuer X-SSL-Client-NotBefore X-SSL-Client-SHA1 X-SSL-Client-Serial X-Client-CN"},
	{"Apache", "SSL_CLIENT_CERT SSL_CLIENT_S_DN SSL_CLIENT_S_DN_CN SSL_CLIENT_I_DN SSL_CLIENT_M_SERIAL SSL_CLIENT_VERIFY X-Remote-User REMOTE_USER REMOTE-USER AUTHENTICATE_SAMACCOUNTNAME AUTH_USER " +
		"LOGON_USER HTTP_X_REMOTE_USER MELLON_NAME_ID MELLON-email OIDC_CLAIM_sub OIDC_access_token OIDC-CLAIM-email"},
	{"Traefik and Caddy", "X-Forwarded-Tls-Client-Cert X-Forwarded-Tls-Client-Cert-Info X-Token-User-Email X-Token-User-Name X-Token-Subject X-WebAuth-User X-WEBAUTH-EMAIL"},
	{"RFC 9440 and WebLogic", "Client-Cert Client-Cert-Chain WL-Proxy-Client-Cert X-Client-Cert X-TLS-Client-DN X-X509-Subject"},
	{"Tailscale", "Tailscale-User-Login Tailscale-User-Name Tailscale-User-Profile-Pic Tailscale-App-Capabilities"},
	{"Keycloak's gatekeepers", "X-Auth-Username X-Auth-Email X-Auth-Roles X-Auth-Subject X-Auth-Userid X-Auth-Token X-Auth-Audience"},
	{"Shibboleth and SAML", "Shib-Session-ID Shib-Identity-Provider Shib_Session_Index eppn affiliation unscoped-affiliation entitlement persistent-id targeted-id displayName givenName mail uid eduPersonPrincipalName isMemberOf X-Saml-Nameid"},
	{"GitLab, GitHub, Replit", "Private-Token X-Gitlab-Token X-Github-Token X-Replit-User-Id X-Replit-User-Name Impersonate-User"},
	{"what owners make up", "X-Authorization X-User X-UserId X-User-Id X-UserName X-User-Email X-Login X-LoginName X-Logged-In X-Email X-Account X-Account-Id X-AccountName X-Identity X-Principal X-Member-Id " +
		"X-Customer-Id X-Employee-Id X-Role X-Roles X-Is-Admin X-Session-Id X-SessionToken X-Session-Token X-Api-Token X-Remote-Group X-Sid X-Auth X-AuthToken X-Authuser X-Current-User Current-User X-Displayname X-Full-Name X-Nickname X-Subject X-Claims " +
		"X-Msisdn X-Csrf-Token X-XSRF-TOKEN X-Ldap-Dn X-Sso-Id X-Bearer X_Forwarded_User X.Forwarded.User Authorization-User"},
}

// namesOfNobody are headers that anybody's request may have.
var namesOfNobody = []struct{ who, names string }{
	{"browsers", "Accept Accept-Charset Accept-Encoding Accept-Language Accept-Datetime Accept-Signature Cache-Control Connection Content-Length Content-Type Date Device-Memory DNT Downlink DPR ECT Expect Host " +
		"If-Match If-Modified-Since If-None-Match If-Range If-Unmodified-Since Keep-Alive Last-Event-ID Max-Forwards Origin Ping-From Ping-To Pragma Prefer Priority Purpose Range Referer RTT Save-Data " +
		"Sec-CH-Prefers-Color-Scheme Sec-CH-UA Sec-CH-UA-Arch Sec-CH-UA-Full-Version-List Sec-CH-UA-Mobile Sec-CH-UA-Model Sec-CH-UA-Platform Sec-CH-Viewport-Width Sec-Fetch-Dest Sec-Fetch-Mode Sec-Fetch-Site Sec-Fetch-User " +
		"Sec-Fetch-Storage-Access Sec-GPC Sec-Purpose Sec-Browsing-Topics Service-Worker Service-Worker-Navigation-Preload TE Trailer Transfer-Encoding Upgrade-Insecure-Requests User-Agent Viewport-Width Width " +
		"X-Client-Data X-Moz X-Purpose X-Requested-With Attribution-Reporting-Eligible Available-Dictionary Access-Control-Request-Headers Access-Control-Request-Method HTTP2-Settings Authority"},
	{"telephones and their proxies", "X-Wap-Profile Profile X-OperaMini-Phone-UA X-OperaMini-Phone X-OperaMini-Features X-UCBrowser-UA X-UCBrowser-Device-UA X-Device-User-Agent X-Original-User-Agent X-Skyfire-Phone X-Bolt-Phone-UA " +
		"X-ProxyUser-Ip X-Nokia-Device-Type X-ATT-DeviceId X-Mobile-UA X-Device-Accept"},
	{"crawlers", "From Signature Signature-Input Signature-Agent AMP-Cache-Transform X-Bot X-Crawler"},
	{"proxies", "Via Forwarded X-Forwarded X-Forwarded-For X-Forwarded-Host X-Forwarded-Port X-Forwarded-Proto X-Forwarded-Scheme X-Forwarded-Server X-Forwarded-Ssl X-Forwarded-Prefix X-Forwarded-Uri X-Forwarded-Method X-Forwarded-Path " +
		"X-Forwarded-By X-Forwarded-Tls-Version X-Real-IP X-Client-IP Client-IP X-Cluster-Client-IP True-Client-IP X-Remote-IP X-Remote-Addr Remote-Addr Remote-Host X-Originating-IP X-Original-Host X-Original-URI X-Original-URL " +
		"X-Original-Method X-Original-Forwarded-For X-Rewrite-URL X-Url-Scheme X-Scheme Front-End-Https X-Request-ID X-Request-Start X-Queue-Start X-Correlation-ID X-Unique-ID X-HTTP-Method-Override Proxy-Connection Proxy X-Proxy-Id " +
		"X-SSL X-SSL-Protocol X-SSL-Cipher X-SSL-Session_ID X-TLS-Version X-Bluecoat-Via X-Varnish X-Cache-Key X-Accel-Internal X-Nginx-Proxy X-User-Agent X-User-Country-Code X-Replaced-Path X-Country-Code X-Geoip-Country X-Tenant"},
	{"CDNs", "CDN-Loop CF-Ray CF-Visitor CF-IPCountry CF-Connecting-IP CF-Connecting-IPv6 CF-Pseudo-IPv4 CF-EW-Via CF-Worker CF-IPCity CF-IPContinent CF-Region CF-Timezone CF-Postal-Code CF-Bot-Score CF-Verified-Bot CF-JA3-Hash " +
		"CloudFront-Viewer-Address CloudFront-Viewer-ASN CloudFront-Viewer-City CloudFront-Viewer-Country CloudFront-Viewer-Country-Name CloudFront-Viewer-Header-Order CloudFront-Viewer-Http-Version CloudFront-Viewer-JA3-Fingerprint " +
		"CloudFront-Viewer-Latitude CloudFront-Viewer-TLS CloudFront-Viewer-Time-Zone CloudFront-Is-Mobile-Viewer CloudFront-Is-Desktop-Viewer CloudFront-Forwarded-Proto X-Amz-Cf-Id " +
		"Fastly-Client-IP Fastly-SSL Fastly-FF Fastly-Orig-Accept-Encoding Fastly-Temp-XFF Fastly-Client X-Timer Akamai-Origin-Hop X-Akamai-Edgescape X-Akamai-Config-Log-Detail X-Akamai-Device-Characteristics Akamai-GRN Akamai-Bot " +
		"X-Akamai-G2O-Auth-Data X-Akamai-G2O-Auth-Sign X-Sucuri-ClientIP X-Sucuri-Country Incap-Client-IP X-Iinfo X-Edge-Location CDN-RequestId CDN-ConnectionId CDN-RequestCountryCode Ali-CDN-Real-IP Cdn-Src-Ip EagleEye-TraceId X-Tencent-UA " +
		"X-Azure-ClientIP X-Azure-SocketIP X-Azure-Ref X-Azure-RequestChain X-Azure-FDID X-FD-HealthProbe X-BB-IP X-BB-Loop X-Origin-Verify X-Pull"},
	{"platforms", "X-Appengine-City X-Appengine-CityLatLong X-Appengine-Country X-Appengine-Region X-Appengine-User-IP X-Appengine-Auth-Domain X-Appengine-User-Is-Admin X-Appengine-Api-Ticket X-Appengine-Default-Version-Hostname " +
		"X-Appengine-Https X-Appengine-Request-Log-Id X-Appengine-Timeout-Ms X-Cloud-Trace-Context X-Client-Geo-Location Function-Execution-Id X-Fh-Requested-Host " +
		"X-Amzn-Trace-Id X-Amzn-Tls-Version X-Amzn-Tls-Cipher-Suite X-Amzn-RequestId X-Arr-Ssl X-Arr-Log-Id X-AppService-Proto X-Site-Deployment-Id Was-Default-Hostname Disguised-Host X-WAWS-Unencoded-URL X-Forwarded-TlsVersion X-Appgw-Trace-Id " +
		"X-MS-Forwarded-Client-IP X-MS-Proxy X-Vercel-Id X-Vercel-IP-Country X-Vercel-IP-City X-Vercel-Forwarded-For X-Vercel-Deployment-Url X-Vercel-JA4-Digest X-Vercel-Proxy-Signature X-Vercel-OIDC-Token X-Nf-Account-Id X-Nf-Account-Tier " +
		"X-Nf-Client-Connection-IP X-Nf-Geo X-Nf-Request-Id X-Nf-Site-Id Fly-Client-IP Fly-Region Fly-Request-Id Fly-Forwarded-Proto Rndr-Id X-Railway-Edge Do-Connecting-IP Connect-Time Total-Route-Time X-Heroku-Queue-Depth Tailscale-Funnel-Request"},
	{"meshes and tracing", "X-Envoy-External-Address X-Envoy-Internal X-Envoy-Attempt-Count X-Envoy-Expected-Rq-Timeout-Ms X-Envoy-Decorator-Operation X-Envoy-Peer-Metadata X-Envoy-Peer-Metadata-Id X-Envoy-Original-Path L5d-Client-Id L5d-Dst-Canonical " +
		"Traceparent Tracestate Baggage B3 X-B3-TraceId X-B3-SpanId X-B3-ParentSpanId X-B3-Sampled X-B3-Flags X-Ot-Span-Context Uber-Trace-Id X-Datadog-Trace-Id X-Datadog-Parent-Id X-Datadog-Sampling-Priority X-Datadog-Origin Sentry-Trace " +
		"Newrelic X-NewRelic-ID X-NewRelic-Transaction X-Dynatrace X-Instana-T X-Instana-S Elastic-Apm-Traceparent Request-Id Request-Context K-Proxy-Request X-Kong-Request-Id"},
}

func TestHeadersThatNameAUserMakeAClientKnown(t *testing.T) {
	n := 0
	for _, group := range namesOfUsers {
		for name := range strings.FieldsSeq(group.names) {
			n++
			h := http.Header{}
			h.Set(name, "x")
			if why := Credentials(&http.Request{Header: h}, Cookies{}); why != IdentityHeader && why != ClientCertificate {
				t.Errorf("%s: %s is %v", group.who, name, why)
			}
		}
	}
	t.Logf("%d names", n)
	if n < 148 {
		t.Errorf("%d names", n)
	}
}

func TestHeadersOfEverybodysRequestsMakeNobodyKnown(t *testing.T) {
	for _, group := range namesOfNobody {
		for name := range strings.FieldsSeq(group.names) {
			if why := Credentials(&http.Request{Header: http.Header{http.CanonicalHeaderKey(name): {"x"}}}, Cookies{}); why != None {
				t.Errorf("%s: %s is %v", group.who, name, why)
			}
		}
	}
}

func TestHeadersThatNameNobodyMakeNobodyKnown(t *testing.T) {
	for _, tt := range []struct {
		name  string
		lines string
		want  Reason
	}{
		{"nginx without a certificate", "X-Client-Verify: NONE", None},
		{"nginx with one", "X-Client-Verify: SUCCESS", ClientCertificate},
		{"nginx with a wrong one", "X-Client-Verify: FAILED:expired", ClientCertificate},
		{"HAProxy without a certificate", "X-SSL-Client-Verify: 0", None},
		{"Google without a certificate", "X-Client-Cert-Present: false", None},
		{"Google with one", "X-Client-Cert-Present: true", ClientCertificate},
		{"WebSEAL without a log-in", "iv-user: Unauthenticated", None},
		{"Oracle without a log-in", "OAM_REMOTE_USER: anonymous", None},
		{"empty, as for a user who has no group", "Remote-Groups:", IdentityHeader},
		{"no group by another word", "Remote-Groups: none", IdentityHeader},
		{"Apache's word for nothing", "X-Remote-User: (null)", IdentityHeader},
		{"HAProxy's quotes", `X-SSL-Client-DN: ""`, ClientCertificate},
		{"user number 0", "X-User-Id: 0", IdentityHeader},
		{"nobody, and somebody in another line", "iv-user: Unauthenticated\niv-user: jane", IdentityHeader},
		{"nobody twice", "iv-user: Unauthenticated\niv-user: unauthenticated", None},
		{"nobody, and somebody in another header", "iv-user: Unauthenticated\niv-groups: staff", IdentityHeader},
		{"a user whose name is short", "X-Forwarded-User: a", IdentityHeader},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := Credentials(get(t, tt.lines), Cookies{}); got != tt.want {
				t.Errorf("credentials = %v, want %v", got, tt.want)
			}
		})
	}
}

func TestOrdinaryHeadersCostNoMemory(t *testing.T) {
	h := http.Header{}
	for _, group := range namesOfNobody {
		for name := range strings.FieldsSeq(group.names) {
			h.Set(name, "x")
		}
	}
	h.Set("Cookie", "_ga=1; theme=dark; amp_a1b2c3=1; _ga_ABC=2")
	r := &http.Request{Header: h}
	if n := testing.AllocsPerRun(100, func() { Credentials(r, Cookies{}) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
