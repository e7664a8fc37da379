package leak_test

import (
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
)

// every selects the generated cases to show; all 7,500 take minutes.
var every = flag.Int("every", 5, "show every n-th row of the generated cases; 1 shows all")

// TestGeneratedSecretsAreNotListed shows a site thousands of private pages, with every kind of
// token and every spelling of what keeps a page private.
func TestGeneratedSecretsAreNotListed(t *testing.T) {
	for i, way := range []setup{ways[0], ways[3]} {
		t.Run(way.router+", "+way.proto, func(t *testing.T) {
			n := *every
			if testing.Short() { // as under the race detector
				n *= 8
			}
			var rows []*row
			for j, r := range generated(uint64(i)) {
				if j%n == 0 {
					rows = append(rows, r)
				}
			}
			least := 2500 / n / 2
			s := newScene(t, way, rows)
			s.brief = true
			s.visitAll()
			cases := len(s.pages)
			for _, r := range rows {
				s.checkAll(t, r)
			}
			s.report(t, s.leaks())
			if t.Logf("%d private cases", cases); cases < least {
				t.Errorf("only %d cases", cases)
			}
		})
	}
}

// generated returns half of the cases. seed selects which.
func generated(seed uint64) (rows []*row) {
	rows = append(rows, tokenRows(seed)...)
	rows = append(rows, credentialRows()...)
	rows = append(rows, responseRows()...)
	return append(rows, methodRows()...)
}

// safeWords are words in locations that are often for one person.
var safeWords = []string{"reset", "invite", "orders", "share", "confirm", "password-reset", "preview", "magic_link"}

// variables are names of variables that hold a secret.
var variables = []string{"token", "key", "code", "hash", "secret", "sig", "signature", "nonce", "otp", "invite",
	"session", "uuid", "guid", "resetToken", "share_key"}

// parameters are names of parameters that carry, or may carry, secrets.
var parameters = []string{"token", "sig", "signature", "X-Amz-Signature", "key", "code", "state", "session", "id", "access_token", "t", "email"}

// folders has one folder for each kind of token.
var folders = strings.Fields(`alpha bravo carol delta echoes foxes golf hotel indigo juliet kilo lima mikado
	november oscar papa quebec romeo sierra tango uniform victor whisky xray yankee`)

// disguises surround tokens or hide them.
var disguises = []string{"{c}.html", "{c}/", "{c}/view", "quarterly-report-{c}", "{c}-quarterly-report", "report_{c}.htm",
	"%7B{c}%7D", "({c})", "id={c}", "v1:{c}", "~{c}", "leaf?page={c}"}

// behindToken returns what comes after the segment with the token.
func behindToken(disguise string) string {
	if i := strings.IndexByte(disguise, '/'); i >= 0 {
		return strings.Replace(disguise[i:]+"$", "/$", "/{$}", 1)
	}
	return ""
}

// tokenRows are pages whose location is the secret. Everybody who knows it gets the page, and here
// all visitors know it.
func tokenRows(seed uint64) (rows []*row) {
	for i, k := range kinds {
		n := uint64(i)<<8 | seed
		prefix := "/" + folders[i]
		if k.sure {
			rows = append(rows, &row{name: k.name + " beside linked pages", route: prefix + "/pages/{id}",
				canaries: tokens(k.make, 20, n|1<<16), siblings: true, want: "held: capability"},
				&row{name: k.name + ", a link of each visitor's own", route: prefix + "/own/{id}",
					canaries: tokens(k.make, rounds, n|2<<16), personal: true, want: "held: capability"})
		}
		for j, disguise := range disguises {
			if path := fmt.Sprintf("%s/disguise-%d/", prefix, j); k.sure {
				rows = append(rows, &row{name: k.name + " dressed as " + disguise, route: path + "{id}" + behindToken(disguise), path: path + disguise,
					canaries: tokens(k.make, 1, n|uint64(j)<<44), siblings: true, want: "held|waiting|refused: capability|no-evidence|query"})
			}
		}
		rows = append(rows, &row{name: k.name + " beside nothing", route: prefix + "/alone/{id}",
			canaries: tokens(k.make, 6, n|3<<16), want: "waiting|held: no-evidence|capability"})
		for j, word := range safeWords {
			rows = append(rows, &row{name: k.name + " below " + word, route: prefix + "/" + word + "/{id}",
				canaries: tokens(k.make, 2, n|uint64(j)<<20), siblings: true, want: "held: risky-word|capability"})
		}
		for j, name := range variables {
			path := fmt.Sprintf("%s/%d", prefix, j)
			rows = append(rows, &row{name: k.name + " as a variable named " + name, route: path + "/{" + name + "}", path: path + "/{c}",
				canaries: tokens(k.make, 1, n|uint64(j)<<28), siblings: true, want: "held: capability"})
		}
		for j, name := range parameters {
			path := fmt.Sprintf("%s/listing/page-%d?%s={c}", prefix, j, name)
			r := &row{name: k.name + " as a parameter named " + name, route: prefix + "/listing/{slug}", path: path,
				canaries: tokens(k.make, 1, n|uint64(j)<<36), siblings: true, want: "excluded|refused: query-not-canonical|query"}
			if j%2 == 0 { // and the page calls that its own location
				r.head, r.want = `<link rel=canonical href="`+path+`">`, "waiting|held|refused: no-evidence|capability|query"
			}
			rows = append(rows, r)
		}
	}
	return rows
}

// identities are headers in which proxies and programs say who is asking.
var identities = strings.Fields(`X-Forwarded-User X-Forwarded-Email X-Forwarded-Preferred-Username X-Forwarded-Groups X-Forwarded-Access-Token
	X-Remote-User X-Remote-Group Remote-User Remote-Name Remote-Email Remote-Groups
	X-Auth-Request-User X-Auth-Request-Email X-Auth-Request-Access-Token X-Authenticated-User X-Authenticated-Userid X-Auth-Token
	X-Auth-User X-Auth-Username
	X-Access-Token X-Api-Key X-Api-Token X-User X-User-Id X-User-Email X-Session-Token X-Webauth-User
	Cf-Access-Jwt-Assertion Cf-Access-Authenticated-User-Email Cf-Access-Client-Id X-Goog-Iap-Jwt-Assertion X-Goog-Authenticated-User-Email
	X-Amzn-Oidc-Data X-Amzn-Oidc-Identity X-Amzn-Oidc-Accesstoken X-Ms-Client-Principal X-Ms-Client-Principal-Name X-Ms-Token-Aad-Id-Token
	Tailscale-User-Login Tailscale-User-Name X-Pomerium-Jwt-Assertion X-Authentik-Username X-Vouch-User X-Consumer-Username X-Credential-Identifier
	X-Userinfo X-Id-Token X-Jwt-Assertion X-Forwarded-Client-Cert X-Forwarded-Tls-Client-Cert X-Amzn-Mtls-Clientcert X-Client-Cert Client-Cert
	X-Arr-Clientcert X-Ssl-Client-S-Dn X-Ssl-Client-Cert Cf-Client-Cert-Der-Base64
	SM_USER SM_USERDN iv-user iv-groups OAM_REMOTE_USER Teleport-Jwt-Assertion X-Authorization X-SSL-Cert X-Client-Dn X-LoginName X-Account-Id X-Principal
	X-Customer-Id SSL_CLIENT_S_DN REMOTE_USER`)

// cookies are names of cookies that sites give to logged-in users.
var cookies = strings.Fields(`session sid PHPSESSID connect.sid JSESSIONID laravel_session remember_token auth __Host-session __Secure-id
	sessionid csrftokens XSRF-TOKEN-x ASP.NET_SessionId wordpress_logged_in_1a2b wp-settings-1 _app_session _shop_session user uid jwt token
	_GA _gi _g a _fbpx OptanonConsents cf_clearances __cf_bmx ga _utma x_ga`)

// credentialRows are pages that everything vouches for, but that only visitors with credentials
// get. Each request spells the credentials differently.
func credentialRows() []*row {
	one := func(name string, n int, vary func(*rand.Rand) http.Header) *row {
		path := "/for-members/" + strings.ReplaceAll(name, " ", "-") + "/"
		return &row{name: name, route: path + "{slug}", canaries: many(n), linked: true, rounds: 4, vary: vary,
			want: "waiting: not-seen"}
	}
	return []*row{
		one("authorization", 150, func(r *rand.Rand) http.Header {
			value := pick(r, "Basic ", "Bearer ", "bearer", "Digest username=", "Negotiate ", "", "AWS4-HMAC-SHA256 Credential=") + pick(r, marker, "")
			h := http.Header{anyCase(r, pick(r, "Authorization", "Proxy-Authorization")): repeated(r, value)}
			return withNoise(r, h)
		}),
		one("identity", 250, func(r *rand.Rand) http.Header {
			h := http.Header{}
			for range 1 + r.IntN(3) {
				h[anyCase(r, pick(r, identities...))] = repeated(r, pick(r, marker, "jane", ""))
			}
			return withNoise(r, h)
		}),
		one("cookie", 250, func(r *rand.Rand) http.Header { return withNoise(r, http.Header{anyCase(r, "Cookie"): cookieLines(r)}) }),
	}
}

// withNoise adds headers without meaning.
func withNoise(r *rand.Rand, h http.Header) http.Header {
	for range r.IntN(4) {
		h[pick(r, "Accept-Language", "Referer", "Dnt", "X-Requested-With", "Priority", "Accept")] = []string{pick(r, "en", "1", "*/*")}
	}
	return h
}

// cookieLines returns one or more lines of cookies. At least one cookie, somewhere, is not benign.
func cookieLines(r *rand.Rand) (lines []string) {
	benign := []string{"_ga=GA1.2.3", "_gid=1", "_fbp=fb.1", "__utma=1", "_hjid=2", "_pk_id.1=3", "OptanonConsent=x", "__cf_bm=y", "AWSALB=z"}
	all := append([]string{pick(r, cookies...) + pick(r, "="+marker, "=", " = "+marker, `="`+marker+`"`, "")}, benign[:r.IntN(len(benign))]...)
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	for len(all) > 0 {
		n := 1 + r.IntN(len(all))
		lines = append(lines, strings.Join(all[:n], pick(r, "; ", ";", " ; ", ";  "))+pick(r, "", ";"))
		all = all[n:]
	}
	return lines
}

func pick(r *rand.Rand, of ...string) string { return of[r.IntN(len(of))] }

// repeated returns a value on one or more lines.
func repeated(r *rand.Rand, value string) []string {
	return strings.Split(strings.Repeat(value+"\n", r.IntN(3))+value, "\n")
}

// anyCase spells a name in letters of any case.
func anyCase(r *rand.Rand, s string) string {
	switch r.IntN(4) {
	case 0:
		return s
	case 1:
		return strings.ToLower(s)
	case 2:
		return strings.ToUpper(s)
	}
	b := []byte(s)
	for i := range b {
		if r.IntN(2) == 0 {
			b[i] = strings.ToUpper(string(b[i]))[0]
		} else {
			b[i] = strings.ToLower(string(b[i]))[0]
		}
	}
	return string(b)
}

// responseRows are linked pages that forbid their listing, each in another spelling, written in
// pieces.
func responseRows() []*row {
	one := func(name string, n int, shape func(*rand.Rand) (string, http.Header), want string) *row {
		path := "/not-for-all/" + strings.ReplaceAll(name, " ", "-") + "/"
		return &row{name: name, route: path + "{slug}", canaries: many(n), linked: true, rounds: 4,
			shape: shape, answer: inPieces, want: want}
	}
	return []*row{
		one("meta", 300, metaRobots, "excluded: noindex"),
		one("tag", 200, robotsTag, "excluded: noindex"),
		one("cache", 200, cacheControl, "excluded|waiting: private|no-store|not-seen"),
		one("canonical", 100, canonicals, "excluded: canonical-elsewhere|canonical-conflict"),
	}
}

// metaRobots returns a noindex in the head.
func metaRobots(r *rand.Rand) (string, http.Header) {
	quote := pick(r, `"`, `'`)
	name := anyCase(r, "name") + pick(r, "=", " = ") + quote + anyCase(r, pick(r, "robots", "googlebot", "bingbot", "robots")) + quote
	content := anyCase(r, "content") + pick(r, "=", " =\n") + quote +
		pick(r, "", "follow, ", "max-snippet:-1,", " ") + anyCase(r, pick(r, "noindex", "none", "noindex")) +
		pick(r, "", ",follow", ", nofollow", " ,noarchive") + quote
	if r.IntN(2) == 0 {
		name, content = content, name
	}
	around := func() string {
		return pick(r, "", "<link rel=stylesheet href=/s.css>", "<script>if(a<b){document.title='</head>'}</script>",
			"<!-- <meta name=robots content=index> -->",
			"<meta charset=utf-8>", "<style>"+strings.Repeat("a{}", r.IntN(5000))+"</style>", "<meta name=robots content=index>")
	}
	return around() + "<" + anyCase(r, "meta") + pick(r, " ", "\n", "\t", " data-x=1 ") + name + " " + content + pick(r, ">", "/>", " >") + around(), nil
}

// robotsTag returns a noindex in a header.
func robotsTag(r *rand.Rand) (string, http.Header) {
	lines := []string{pick(r, "", "googlebot: ", "otherbot:", "unavailable_after: 25 Jun 2040 15:00:00 GMT, ") +
		anyCase(r, pick(r, "noindex", "none")) + pick(r, "", ", nofollow", ",noarchive")}
	for range r.IntN(3) {
		lines = append(lines, pick(r, "max-snippet:20", "index, follow", "googlebot: index", "noarchive"))
	}
	r.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	return "", http.Header{"X-Robots-Tag": lines}
}

// cacheControl returns a header that keeps a response out of shared caches.
func cacheControl(r *rand.Rand) (string, http.Header) {
	parts := []string{anyCase(r, pick(r, "private", "no-store", `private="set-cookie"`, "no-store"))}
	for range r.IntN(4) {
		parts = append(parts, pick(r, "max-age=0", "must-revalidate", "public", "no-cache", "s-maxage=60", ""))
	}
	r.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
	if r.IntN(3) == 0 {
		return "", http.Header{"Cache-Control": parts}
	}
	return "", http.Header{"Cache-Control": {strings.Join(parts, pick(r, ", ", ",", " , "))}}
}

// canonicals returns a canonical link to another location.
func canonicals(r *rand.Rand) (string, http.Header) {
	href := pick(r, "https://example.com/", "/", "https://"+marker+".example/", "//"+marker+".example/", "../") + pick(r, "", "other", "a/b")
	if r.IntN(3) == 0 {
		return "", http.Header{"Link": {fmt.Sprintf(`<%s>; rel="canonical"`, href)}}
	}
	return fmt.Sprintf("<link %s=%s href='%s'>", anyCase(r, "rel"), pick(r, "canonical", "'canonical'", `"Canonical"`), href), nil
}

// inPieces writes a page cut at random points, and flushes some pieces. The first piece shows that
// it is HTML.
func inPieces(rw http.ResponseWriter, r *http.Request, html string) {
	chance := rand.New(rand.NewPCG(uint64(len(html)), uint64(len(r.URL.Path))))
	for first := 40; html != ""; first = 1 {
		n := min(len(html), first+chance.IntN(1+chance.IntN(400)))
		io.WriteString(rw, html[:n])
		if html = html[n:]; chance.IntN(3) == 0 {
			rw.(http.Flusher).Flush()
		}
	}
}

// methodRows are linked pages that are requested in other ways than by viewing them.
func methodRows() (rows []*row) {
	for _, method := range []string{"POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD", "PROPFIND", "get", "SUBSCRIBE"} {
		path := "/by-method/" + strings.ToLower(method) + "x/"
		rows = append(rows, &row{name: "method " + method, route: path + "{slug}", canaries: many(20), linked: true, rounds: 4,
			method: method,
			want:   "waiting: not-seen"})
	}
	return rows
}
