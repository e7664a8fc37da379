package leak_test

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/servemap/servemap/internal/testkit"
)

// corpus returns the scenarios. Each call gives their pages other names.
func corpus() (rows []*row) {
	for _, group := range []func() []*row{
		ordinaryRows, knownRows, headerRows, forbiddingRows, secretRows, adminRows, leavingRows, oddRows, personalRows, alternateRows, fragmentRows,
	} {
		rows = append(rows, group()...)
	}
	for _, r := range rows {
		if r.canaries == nil {
			r.canaries = []string{words()}
		}
	}
	return rows
}

// ordinaryRows are what most visitors of most sites do.
func ordinaryRows() []*row {
	return []*row{
		{name: "L01 a route of its own", route: "/about/{c}", want: "listed: route"},
		{name: "L02 nothing but visitors", route: "/blog/{slug}", response: header("Cache-Control", "public, max-age=300"), want: "waiting: no-evidence"},
		{name: "L03 benign cookies", route: "/news/{slug}", linked: true, headers: header("Cookie", "_ga=GA1.2.3; _gid=GA1.2.4"), want: "listed: link"},
		{name: "L04 one client that says it is Googlebot", route: "/posts/{slug}", visit: byOne,
			headers: header("User-Agent", "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"), want: "waiting: no-evidence"},
		{name: "L05 a response that sets a cookie", route: "/contact/{c}", response: header("Set-Cookie", "_gorilla_csrf="+marker+"; HttpOnly"),
			want: "listed: route"},
		{name: "L06 tracking parameters", route: "/guides/{slug}", path: "/guides/{c}?utm_source=" + marker + "&gclid=1", loc: "/guides/{c}",
			linked: true, want: "listed: link"},
		{name: "L07 a parameter that is allowed", route: "/list/{c}", path: "/list/{c}?page=2", linked: true, want: "listed: route|link"},
		{name: "L08 no-cache is not private", route: "/notes/{slug}", linked: true, response: header("Cache-Control", "no-cache"), want: "listed: link"},
		{name: "L09 HEAD alone", route: "/heads/{c}", method: http.MethodHead, want: "unknown: none"},
		{name: "L10 304 alone", route: "/tags/{c}", headers: header("If-None-Match", `"x"`), answer: status(http.StatusNotModified), want: "unknown: none"},
	}
}

// knownRows are pages for visitors who are known.
func knownRows() []*row {
	basic, bearer := header("Authorization", "Basic "+marker), header("Authorization", "Bearer "+marker)
	return []*row{
		{name: "L11 Authorization, a route of its own", route: "/report/{c}", headers: basic, want: "unknown: none"},
		{name: "L11 Authorization, linked", route: "/reports/{id}", linked: true, headers: basic, want: "waiting: not-seen"},
		{name: "L12 Bearer and public", route: "/papers/{c}", headers: bearer, response: header("Cache-Control", "public, max-age=60"),
			want: "unknown: none"},
		{name: "L13 a session cookie", route: "/home/{c}", headers: header("Cookie", "session="+marker), want: "unknown: none"},
		{name: "L13 a session cookie, linked", route: "/homes/{id}", linked: true, headers: header("Cookie", "session="+marker), want: "waiting: not-seen"},
		{name: "L14 a cookie nobody knows, beside a benign one", route: "/corner/{c}", headers: header("Cookie", "_ga=1; zzz="+marker),
			want: "unknown: none"},
		{name: "L14 a session's cookie that begins as one of analytics does", route: "/booth/{c}",
			headers: header("Cookie", "_gallery_session="+marker), want: "unknown: none"},
		{name: "L15 a client certificate", route: "/desk/{c}", visit: byCertificate, want: "unknown: none"},
	}
}

// forbiddingRows are pages that forbid their listing, from the first or later.
func forbiddingRows() []*row {
	return []*row{
		{name: "L17 turned private", route: "/statement/{id}", linked: true, late: with("Cache-Control", "private, max-age=60"), want: "excluded: private", was: true},
		{name: "L17 private from the first", route: "/folders/{c}", response: header("Cache-Control", "private, max-age=60"),
			want: "unknown|excluded: none|private"},
		{name: "L18 turned no-store", route: "/balance/{id}", linked: true, late: with("Cache-Control", "no-store"), want: "excluded: no-store", was: true},
		{name: "L18 No-Store in a second line", route: "/ledgers/{c}", response: header("Cache-Control", "max-age=60", "Cache-Control", "No-Store"),
			want: "unknown|excluded: none|no-store"},
		{name: "L18 the same, linked", route: "/books/{id}", linked: true,
			response: header("Cache-Control", "max-age=60", "Cache-Control", "No-Store"), want: "excluded|waiting: no-store|not-seen"},
		{name: "no-store for CDNs", route: "/drawers/{c}", response: header("CDN-Cache-Control", "no-store"), want: "unknown|excluded: none|no-store"},
		{name: "private for one CDN, linked", route: "/boxes/{id}", linked: true, response: header("Vercel-CDN-Cache-Control", "private"),
			want: "excluded|waiting: private|not-seen"},
		{name: "no-store as in HTTP/1.0", route: "/chests/{c}", response: header("Pragma", "no-store"), want: "unknown|excluded: none|no-store"},
		{name: "turned no-store for a surrogate", route: "/trunks/{id}", linked: true, late: with("Surrogate-Control", "no-store"), want: "excluded: no-store", was: true},
		{name: "L19 X-Robots-Tag, a route of its own", route: "/sketch/{c}", response: header("X-Robots-Tag", "noindex"), want: "excluded: noindex"},
		{name: "L19 turned noindex", route: "/sketches/{id}", linked: true, late: with("X-Robots-Tag", "noindex"), want: "excluded: noindex",
			was: true},
		{name: "L20 noindex for one robot in a second line", route: "/plans/{c}",
			response: header("X-Robots-Tag", "max-snippet:20", "X-Robots-Tag", "googlebot: noindex, nofollow"), want: "excluded: noindex"},
		{name: "L20 none", route: "/designs/{c}", response: header("X-Robots-Tag", "none"), want: "excluded: noindex"},
		{name: "L20 unavailable_after, past", route: "/offers/{c}", response: header("X-Robots-Tag", "unavailable_after: 25 Jun 2010 15:00:00 PST"),
			want: "excluded: noindex"},
		{name: "L21 a meta element in two writes", route: "/essays/{c}", head: "<META CONTENT='NoIndex,follow' NAME=Robots>",
			answer: split("NoIndex"), want: "excluded: noindex"},
		{name: "L22 noindex far into the head", route: "/scrolls/{c}",
			head: "<style>" + strings.Repeat("a{} ", 25_000) + "</style><meta name=robots content=noindex>", want: "excluded: noindex"},
		{name: "L22 a head without end", route: "/rolls/{c}", visit: func(w *world, p *page, n int) {
			if n < 4 {
				w.visit(n, p.target)
			}
		}, head: "<style>" + strings.Repeat("a{} ", 600_000) + "</style><meta name=robots content=noindex>", want: "held: head-not-seen"},
	}
}

// secretRows are locations that are secrets or often for one person, and other targets that are no
// page's location.
func secretRows() []*row {
	const uuid, linked = "3f2504e0-4f89-41d3-9a0c-0305e82c3301", "9b2d61a4-77f3-4c1e-8d05-52ce1f0b9a7e"
	const jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJlLW9mLWl0"
	return []*row{
		{name: "L23 a reset link", route: "/reset-password/{token}", canaries: []string{"kW83hd0PqLm2"}, want: "held: risky-word|capability"},
		{name: "L24 a token in the query", route: "/renew/{c}", path: "/renew/{c}?token=" + marker + "9f8e", want: "excluded: query-not-canonical"},
		{name: "L24 a token in a query that the page calls its own", route: "/view/{slug}", path: "/view/{c}?token=" + marker + "9f8e",
			head: `<link rel=canonical href="/view/{c}?token=` + marker + `9f8e">`, want: "waiting|held: no-evidence|capability"},
		{name: "L25 unsubscribe", route: "/u/unsubscribe/{id}", linked: true, want: "held: action-word"},
		{name: "L26 an invitation", route: "/invite/{id}", canaries: []string{"Ab3kZ9xw"}, want: "held: risky-word|capability"},
		{name: "L27 a share link of words", route: "/share/{slug}", want: "held: risky-word"},
		{name: "L28 a UUID that nothing links to", route: "/d/{id}", canaries: []string{uuid}, want: "held: capability"},
		{name: "L28 a UUID that is linked", route: "/items/{id}", canaries: []string{linked},
			linked: true, want: "listed: link"},
		{name: "L29 a code in the place of a slug", route: "/p/{slug}", canaries: []string{"k3J9xQ2vT7"}, want: "held: capability"},
		{name: "L30 a guest's order", route: "/orders/{id}/thank-you", canaries: []string{"100234577"}, want: "held: risky-word|capability"},
		{name: "L31 a variable named code", route: "/winter/{code}", want: "held: capability"},
		{name: "L32 a page with a password field", route: "/entrance/{c}", head: "<script>1</script><input type=password>", want: "excluded: password-field"},
		{name: "L32 the same beside nothing", route: "/welcome/{name}", head: "<input type=password>", want: "excluded: password-field"},
		{name: "L34 a JSON web token", route: "/login/{jwt}", canaries: []string{jwt}, want: "held: risky-word|capability"},
		{name: "L35 a signed URL", route: "/files/{slug}", path: "/files/{c}?X-Amz-Signature=" + marker + "&X-Amz-Expires=900",
			want: "excluded: query-not-canonical"},
		{name: "L36 an e-mail address", path: "/u/{c}%40example.org", want: "refused: email"},
		{name: "L37 a session in the path", path: "/shelf/{c};jsessionid=" + marker, want: "refused: path-param"},
		{name: "a session as a segment", path: "/stall/{c}/jsessionid=" + marker, want: "refused: path-param"},
		{name: "an e-mail address of full width", path: "/u/{c}%EF%BC%A0example.org", want: "refused: email"},
		{name: "a log-out of a program", route: "/leave/{c}/{name}", path: "/leave/{c}/logout.php", linked: true, want: "held: action-word"},
		{name: "L38 another host", route: "/hosts/{c}", visit: byHost("evil-" + marker + ".example"), want: "unknown: none"},
		{name: "L39 headers that name another host", route: "/proxied/{c}",
			headers: header("X-Forwarded-Host", "evil-"+marker+".example", "X-Forwarded-Proto", "http", "Forwarded", "host=evil-"+marker+".example;proto=http"),
			want:    "unknown: none"},
		{name: "L40 HTML under the name of a style sheet", route: "/account/{c}.css", want: "unknown: none"},
		{name: "L41 a page not found that says 200", path: "/{c}", canaries: many(100),
			answer: func(rw http.ResponseWriter, _ *http.Request, _ string) {
				io.WriteString(rw, testkit.HTML("", "Not found"))
			}, want: "waiting: no-evidence"},
		{name: "L42 what people search for", route: "/search/{query}", canaries: many(100), want: "held: risky-word"},
	}
}

// leavingRows are pages that were listed and answer differently in the last round.
func leavingRows() []*row {
	return []*row{
		{name: "L43 turned 404", route: "/gone/{id}", linked: true, late: status(404), want: "listed: link", says: "answered 404"},
		{name: "L43 turned 410", route: "/closed/{id}", linked: true, late: status(410), want: "gone: gone", was: true},
		{name: "L43 turned 401", route: "/locked/{id}", linked: true, late: status(401), want: "listed: link", says: "answered 401"},
		{name: "L43 turned 403", route: "/barred/{id}", linked: true, late: status(403), want: "listed: link", says: "answered 403"},
		{name: "L43 leads to the log-in", route: "/guarded/{id}", linked: true, late: redirect(302, "/login?next=/"), want: "listed: link",
			says: "answered 302"},
		{name: "L44 fails", route: "/shaky/{id}", linked: true, late: status(500), want: "listed: link"},
		{name: "L44 is not available", route: "/resting/{id}", linked: true, late: status(503), want: "listed: link"},
		{name: "L44 is asked too often", route: "/busy/{id}", linked: true, late: status(429), want: "listed: link"},
	}
}

// oddRows are responses that show no whole page, or another page.
func oddRows() []*row {
	return []*row{
		{name: "L45 panics after a part, caught outside", route: "/broken/{c}",
			answer: func(rw http.ResponseWriter, _ *http.Request, html string) { io.WriteString(rw, html); panic(marker) }, want: "unknown: none"},
		{name: "L45 panics after a part, caught inside", route: "/cracked/{c}", answer: recovered, want: "unknown: none"},
		{name: "L46 the client leaves", route: "/parted/{c}", visit: leaving, answer: stalled, want: "unknown: none"},
		{name: "L46 less than was declared", route: "/short/{c}",
			answer: func(rw http.ResponseWriter, _ *http.Request, html string) {
				rw.Header().Set("Content-Length", "100000")
				io.WriteString(rw, html)
			}, want: "unknown: none"},
		{name: "L46 a range", route: "/pieces/{c}", headers: header("Range", "bytes=0-99"),
			answer: func(rw http.ResponseWriter, r *http.Request, html string) {
				http.ServeContent(rw, r, "x.html", time.Time{}, strings.NewReader(html))
			}, want: "unknown: none"},
		{name: "L47 another page is canonical", route: "/copies/{c}", head: `<link rel=canonical href="https://example.com/elsewhere/{c}">`,
			want: "excluded: canonical-elsewhere"},
		{name: "L47 the page named there", route: "/twins/{c}", loc: "/elsewhere/{c}",
			head: `<link rel=canonical href="https://example.com/elsewhere/{c}">`, want: "unknown: none"},
		{name: "L47 a page of another host is canonical", route: "/mirrors/{c}",
			head: `<link rel=canonical href="https://` + marker + `.example/mirrors/{c}">`, want: "excluded: canonical-elsewhere"},
		{name: "L48 gzip inside", route: "/packed/{c}", answer: packed("gzip"), want: "listed: route"},
		{name: "L48 gzip inside, and noindex in it", route: "/packs/{c}", head: "<meta name=robots content=noindex>", answer: packed("gzip"),
			want: "excluded: noindex"},
		{name: "L48 an encoding nobody knows", route: "/scrambled/{c}", answer: packed("x-own"), want: "held: encoding"},
		{name: "L48 clients of a private network", route: "/nearby/{slug}", visit: byPrivate, want: "waiting: no-evidence"},
		{name: "L48 JSON", route: "/data/{c}", answer: with("Content-Type", "application/json"), want: "unknown: none"},
		{name: "L48 events", route: "/events/{c}", answer: with("Content-Type", "text/event-stream"), want: "unknown: none"},
		{name: "L48 an attachment", route: "/saves/{c}", response: header("Content-Disposition", `attachment; filename="x.html"`), want: "unknown: none"},
		{name: "L48 POST", route: "/forms/{c}", method: http.MethodPost, want: "unknown: none"},
	}
}

// personalRows are locations that look public but are not.
func personalRows() []*row {
	return []*row{
		{name: "a link of each visitor's own", route: "/tables/{id}", canaries: tokens(uuids, rounds, 7), personal: true,
			want: "held: capability"},
		{name: "a session in the path", route: "/shop/{session}/home", path: "/shop/(S({c}))/home",
			canaries: tokens(of("abcdefghijklmnopqrstuvwxyz012345", 24), rounds, 8), personal: true, want: "held: capability"},
		{name: "a token in a parameter that is allowed", route: "/reader/{slug}", path: "/reader/leaf?page={c}", canaries: tokens(uuids, 1, 9),
			want: "excluded: query-not-canonical"},
		{name: "a token in a parameter that is allowed, of letters alone", route: "/readers/{slug}", path: "/readers/leaf?page={c}",
			canaries: tokens(of("abcdefghijklmnopqrstuvwxyz", 20), 1, 12), want: "held: capability"},
		{name: "a token in a route of its own", route: "/hidden/{c}", canaries: tokens(uuids, 1, 10), want: "held: capability"},
		{name: "a linked page moves each visitor to one of his own", route: "/pads/{id}", canaries: tokens(uuids, rounds, 11), personal: true,
			moves: http.StatusMovedPermanently, want: "held: capability"},
		{name: "the same, to words", route: "/rooms/{id}", canaries: apart(rounds), personal: true, moves: http.StatusMovedPermanently,
			want: "held|waiting: no-evidence|capability"},
		{name: "the same for a while, to words", route: "/suites/{id}", canaries: apart(rounds), personal: true, moves: http.StatusSeeOther,
			want: "waiting: no-evidence"},
		{name: "pages that lead each visitor back", route: "/guestbooks/{slug}", canaries: guestbooks, linked: true, answer: leadsBack,
			want: "listed: link"},
		{name: "where visitors came from, a token", route: "/letters/{id}", canaries: tokens(uuids, 1, 13), visit: andSign(guestbooks[0], referred),
			want: "held: capability"},
		{name: "what a header of proxies says, a token", route: "/parcels/{id}", canaries: tokens(uuids, 1, 17), visit: andSign(guestbooks[4],
			func(r *http.Request, target string) { r.Header.Set("X-Forwarded-Server", target) }), want: "held: capability"},
		{name: "where visitors came from, words", route: "/diaries/{slug}", visit: andSign(guestbooks[1], referred), want: "waiting: no-evidence"},
		{name: "where visitors came from, a risky word", route: "/invoices/{id}", canaries: []string{"100234977"},
			visit: andSign(guestbooks[2], referred), want: "held: risky-word|capability"},
		{name: "where visitors came from, in the query", route: "/memos/{id}", canaries: tokens(uuids, 1, 14),
			visit: andSign(guestbooks[3], func(r *http.Request, target string) { r.URL.RawQuery = "utm_content=" + url.QueryEscape(target) }),
			want:  "held: capability"},
		{name: "robots.txt forbids it", route: "/backstage/{slug}", linked: true, want: "excluded: disallowed"},
		{name: "robots.txt forbids it, a route of its own", route: "/backstage/props/{c}", want: "excluded: disallowed"},
	}
}

// guestbooks are pages that lead each visitor back. Each row that visits one has its own.
var guestbooks = []string{"of-the-harbour", "of-the-lighthouse", "of-the-old-mill", "of-the-orchard", "of-the-castle"}

// leadsBack links to the page that the visitor came from, if the request names it.
func leadsBack(rw http.ResponseWriter, r *http.Request, _ string) {
	io.WriteString(rw, testkit.HTML("", "guests of "+r.URL.Path, r.Referer(), r.URL.Query().Get("utm_content"), r.Header.Get("X-Forwarded-Server")))
}

// andSign goes on from the page to a guestbook.
func andSign(book string, how func(r *http.Request, target string)) func(*world, *page, int) {
	return func(w *world, p *page, n int) {
		w.visit(n, p.target)
		r := w.request(n, http.MethodGet, "/guestbooks/"+book, nil)
		how(r, p.target)
		w.do(w.client, r)
	}
}

func referred(r *http.Request, target string) { r.Header.Set("Referer", testkit.Origin+target) }

// headerRows are pages for visitors whom a proxy or a program names in a header.
func headerRows() (rows []*row) {
	for _, h := range []string{
		"X-Forwarded-User", "Cf-Access-Jwt-Assertion", "X-Goog-IAP-JWT-Assertion", "X-Auth-Request-Email", "Remote-User", "X-Amzn-Oidc-Data",
		"X-Api-Key", "Tailscale-User-Login", "Private-Token", "X-Token-User-Email", "X-Apigateway-Api-Userinfo", "X-Auth-Email", "REMOTE_USER",
		"SM_USER", "iv-user", "OAM_REMOTE_USER", "Teleport-Jwt-Assertion", "X-Authorization", "X-SSL-Cert", "X-Client-Dn", "X-LoginName", "X-Account-Id",
		"DPoP", "Signature", "X-Tenant-Id", "X-Org-Id", "X-Scope", "X-Person", "X-Secret", "X-Mandant", "X-Device-Id", "X-Caller",
	} {
		rows = append(rows, &row{name: "L16 " + h, route: "/lobby/{c}", headers: header(h, marker), want: "unknown: none"})
	}
	return rows
}

// adminRows are pages for the people who run the site.
func adminRows() (rows []*row) {
	for _, path := range []string{"/admin", "/wp-admin/", "/debug/pprof/", "/metrics", "/actuator"} {
		exact := path
		if strings.HasSuffix(path, "/") {
			exact += "{$}"
		}
		below := strings.TrimSuffix(path, "/") + "/{c}"
		rows = append(rows,
			&row{name: "L33 " + path, route: exact, path: path, want: "held: risky-word"},
			&row{name: "L33 below " + path, route: below, want: "held: risky-word"})
	}
	return rows
}

// alternateRows are pages in two languages that name each other.
func alternateRows() []*row {
	secret, open, left, stays := words(), words(), words(), words()
	link := func(lang, to string) string {
		return fmt.Sprintf(`<link rel="alternate" hreflang="%s" href="%s">`, lang, to)
	}
	return []*row{
		{name: "the alternate of a public page", route: "/deutsch/{slug}", canaries: []string{secret},
			head: link("de", "/deutsch/"+secret) + link("en", "/english/"+open), want: "waiting: no-evidence"},
		{name: "a page with a private alternate", route: "/english/{slug}", canaries: []string{open}, linked: true,
			head: link("de", "/deutsch/"+secret) + link("en", "/english/"+open), want: "listed: link"},
		{name: "an alternate that turns noindex", route: "/svenska/{slug}", canaries: []string{left}, linked: true,
			late: with("X-Robots-Tag", "noindex"), head: link("sv", "/svenska/"+left) + link("fi", "/suomi/"+stays), want: "excluded: noindex",
			was: true},
		{name: "a page whose alternate turns noindex", route: "/suomi/{slug}", canaries: []string{stays}, linked: true,
			head: link("sv", "/svenska/"+left) + link("fi", "/suomi/"+stays), want: "listed: link"},
	}
}

// recovered writes a part, panics and recovers, like middleware inside the site.
func recovered(rw http.ResponseWriter, _ *http.Request, html string) {
	defer func() {
		if recover() != nil {
			rw.WriteHeader(http.StatusInternalServerError)
		}
	}()
	io.WriteString(rw, html)
	panic(marker)
}

// packed compresses the page with gzip, and calls the coding name.
func packed(name string) func(http.ResponseWriter, *http.Request, string) {
	return func(rw http.ResponseWriter, _ *http.Request, html string) {
		rw.Header().Set("Content-Type", "text/html; charset=utf-8")
		rw.Header().Set("Content-Encoding", name)
		zw := gzip.NewWriter(rw)
		io.WriteString(zw, html)
		zw.Close()
	}
}
