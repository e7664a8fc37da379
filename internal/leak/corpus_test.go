package leak_test

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// corpus returns the scenarios. Each call makes pages of other names.
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
		{name: "L01 a route of its own", route: "/about/{c}", path: "/about/{c}", want: "listed", why: "route"},
		{name: "L02 networks beside linked pages", route: "/blog/{slug}", path: "/blog/{c}", siblings: true,
			response: header("Cache-Control", "public, max-age=300"), want: "listed", why: "networks"},
		{name: "L02 networks beside nothing", route: "/lonely/{slug}", path: "/lonely/{c}", want: "waiting", why: "no-evidence"},
		{name: "L03 benign cookies", route: "/news/{slug}", path: "/news/{c}", siblings: true,
			headers: header("Cookie", "_ga=GA1.2.3; _gid=GA1.2.4"), want: "listed", why: "networks"},
		{name: "L04 one client that says it is Googlebot", route: "/posts/{slug}", path: "/posts/{c}", siblings: true, visit: byOne,
			headers: header("User-Agent", "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"), want: "waiting", why: "no-evidence"},
		{name: "L05 a response that sets a cookie", route: "/contact/{c}", path: "/contact/{c}",
			response: header("Set-Cookie", "_gorilla_csrf="+marker+"; HttpOnly"), want: "listed", why: "route"},
		{name: "L06 tracking parameters", route: "/guides/{slug}", path: "/guides/{c}?utm_source=" + marker + "&gclid=1", loc: "/guides/{c}",
			siblings: true,
			want:     "listed", why: "networks"},
		{name: "L07 a parameter that is allowed", route: "/list/{c}", path: "/list/{c}?page=2", linked: true, want: "listed", why: "route|link"},
		{name: "L08 no-cache is not private", route: "/notes/{slug}", path: "/notes/{c}", linked: true, response: header("Cache-Control", "no-cache"),
			want: "listed", why: "link"},
		{name: "L09 HEAD alone", route: "/heads/{c}", path: "/heads/{c}", method: http.MethodHead, want: "unknown", why: "none"},
		{name: "L10 304 alone", route: "/tags/{c}", path: "/tags/{c}", headers: header("If-None-Match", `"x"`), answer: status(http.StatusNotModified),
			want: "unknown", why: "none"},
	}
}

// knownRows are pages of visitors who are known.
func knownRows() []*row {
	basic, bearer := header("Authorization", "Basic "+marker), header("Authorization", "Bearer "+marker)
	return []*row{
		{name: "L11 Authorization, a route of its own", route: "/report/{c}", path: "/report/{c}", headers: basic, want: "unknown", why: "none"},
		{name: "L11 Authorization, linked", route: "/reports/{id}", path: "/reports/{c}", linked: true, headers: basic, want: "waiting", why: "not-seen"},
		{name: "L12 Bearer and public", route: "/papers/{c}", path: "/papers/{c}", headers: bearer,
			response: header("Cache-Control", "public, max-age=60"), want: "unknown", why: "none"},
		{name: "L13 a session cookie", route: "/home/{c}", path: "/home/{c}", headers: header("Cookie", "session="+marker), want: "unknown", why: "none"},
		{name: "L13 a session cookie, linked", route: "/homes/{id}", path: "/homes/{c}", linked: true, headers: header("Cookie", "session="+marker),
			want: "waiting", why: "not-seen"},
		{name: "L14 a cookie nobody knows, beside a benign one", route: "/corner/{c}", path: "/corner/{c}",
			headers: header("Cookie", "_ga=1; zzz="+marker), want: "unknown", why: "none"},
		{name: "L14 a session's cookie that begins as one of analytics does", route: "/booth/{c}", path: "/booth/{c}",
			headers: header("Cookie", "_gallery_session="+marker), want: "unknown", why: "none"},
		{name: "L15 a client certificate", route: "/desk/{c}", path: "/desk/{c}", visit: byCertificate, want: "unknown", why: "none"},
	}
}

// forbiddingRows are pages that forbid their listing, from the first or in the end.
func forbiddingRows() []*row {
	return []*row{
		{name: "L17 turned private", route: "/statement/{id}", path: "/statement/{c}", linked: true, late: with("Cache-Control", "private, max-age=60"),
			want: "excluded", why: "private", was: true},
		{name: "L17 private from the first", route: "/folders/{c}", path: "/folders/{c}", response: header("Cache-Control", "private, max-age=60"),
			want: "unknown|excluded", why: "none|private"},
		{name: "L18 turned no-store", route: "/balance/{id}", path: "/balance/{c}", linked: true, late: with("Cache-Control", "no-store"),
			want: "excluded", why: "no-store", was: true},
		{name: "L18 No-Store in a second line", route: "/ledgers/{c}", path: "/ledgers/{c}",
			response: header("Cache-Control", "max-age=60", "Cache-Control", "No-Store"), want: "unknown|excluded", why: "none|no-store"},
		{name: "L18 the same, linked", route: "/books/{id}", path: "/books/{c}", linked: true,
			response: header("Cache-Control", "max-age=60", "Cache-Control", "No-Store"), want: "excluded|waiting", why: "no-store|not-seen"},
		{name: "no-store for CDNs", route: "/drawers/{c}", path: "/drawers/{c}", response: header("CDN-Cache-Control", "no-store"),
			want: "unknown|excluded", why: "none|no-store"},
		{name: "private for one CDN, linked", route: "/boxes/{id}", path: "/boxes/{c}", linked: true,
			response: header("Vercel-CDN-Cache-Control", "private"), want: "excluded|waiting", why: "private|not-seen"},
		{name: "no-store as in HTTP/1.0", route: "/chests/{c}", path: "/chests/{c}", response: header("Pragma", "no-store"),
			want: "unknown|excluded", why: "none|no-store"},
		{name: "turned no-store for a surrogate", route: "/trunks/{id}", path: "/trunks/{c}", linked: true, late: with("Surrogate-Control", "no-store"),
			want: "excluded", why: "no-store", was: true},
		{name: "L19 X-Robots-Tag, a route of its own", route: "/sketch/{c}", path: "/sketch/{c}", response: header("X-Robots-Tag", "noindex"),
			want: "excluded", why: "noindex"},
		{name: "L19 turned noindex", route: "/sketches/{id}", path: "/sketches/{c}", linked: true, late: with("X-Robots-Tag", "noindex"),
			want: "excluded", why: "noindex", was: true},
		{name: "L20 noindex for one robot in a second line", route: "/plans/{c}", path: "/plans/{c}",
			response: header("X-Robots-Tag", "max-snippet:20", "X-Robots-Tag", "googlebot: noindex, nofollow"), want: "excluded", why: "noindex"},
		{name: "L20 none", route: "/designs/{c}", path: "/designs/{c}", response: header("X-Robots-Tag", "none"), want: "excluded", why: "noindex"},
		{name: "L20 unavailable_after, past", route: "/offers/{c}", path: "/offers/{c}",
			response: header("X-Robots-Tag", "unavailable_after: 25 Jun 2010 15:00:00 PST"), want: "excluded", why: "noindex"},
		{name: "L21 a meta element in two writes", route: "/essays/{c}", path: "/essays/{c}", head: "<META CONTENT='NoIndex,follow' NAME=Robots>",
			answer: split("NoIndex"), want: "excluded", why: "noindex"},
		{name: "L22 noindex far into the head", route: "/scrolls/{c}", path: "/scrolls/{c}",
			head: "<style>" + strings.Repeat("a{} ", 25_000) + "</style><meta name=robots content=noindex>", want: "excluded", why: "noindex"},
		{name: "L22 a head without end", route: "/rolls/{c}", path: "/rolls/{c}", visit: func(w *world, p *page, n int) {
			if n < 4 {
				w.visit(n, p.target)
			}
		}, head: "<style>" + strings.Repeat("a{} ", 600_000) + "</style><meta name=robots content=noindex>", want: "held", why: "head-not-seen"},
	}
}

// secretRows are locations that are secrets, or are often one person's, and what else is
// no page's location.
func secretRows() []*row {
	const uuid, linked = "3f2504e0-4f89-41d3-9a0c-0305e82c3301", "9b2d61a4-77f3-4c1e-8d05-52ce1f0b9a7e"
	const jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJlLW9mLWl0"
	return []*row{
		{name: "L23 a reset link", route: "/reset-password/{token}", path: "/reset-password/{c}", canaries: []string{"kW83hd0PqLm2"}, siblings: true,
			want: "held", why: "risky-word|capability"},
		{name: "L24 a token in the query", route: "/renew/{c}", path: "/renew/{c}?token=" + marker + "9f8e", want: "excluded",
			why: "query-not-canonical"},
		{name: "L24 a token in a query that the page calls its own", route: "/view/{slug}", path: "/view/{c}?token=" + marker + "9f8e", siblings: true,
			head: `<link rel=canonical href="/view/{c}?token=` + marker + `9f8e">`, want: "waiting|held", why: "no-evidence|capability"},
		{name: "L25 unsubscribe", route: "/u/unsubscribe/{id}", path: "/u/unsubscribe/{c}", linked: true, want: "held", why: "action-word"},
		{name: "L26 an invitation", route: "/invite/{id}", path: "/invite/{c}", canaries: []string{"Ab3kZ9xw"}, siblings: true, want: "held",
			why: "risky-word|capability"},
		{name: "L27 a share link of words", route: "/share/{slug}", path: "/share/{c}", siblings: true, want: "held", why: "risky-word"},
		{name: "L28 a UUID beside linked pages", route: "/d/{id}", path: "/d/{c}", canaries: []string{uuid}, siblings: true, want: "held",
			why: "capability"},
		{name: "L28 a UUID that is linked", route: "/items/{id}", path: "/items/{c}", canaries: []string{linked},
			linked: true, want: "listed", why: "link"},
		{name: "L29 a code in the place of a slug", route: "/p/{slug}", path: "/p/{c}", canaries: []string{"k3J9xQ2vT7"}, siblings: true, want: "held",
			why: "capability"},
		{name: "L30 a guest's order", route: "/orders/{id}/thank-you", path: "/orders/{c}/thank-you", canaries: []string{"100234577"}, siblings: true,
			want: "held", why: "risky-word|capability"},
		{name: "L31 a variable named code", route: "/winter/{code}", path: "/winter/{c}", siblings: true, want: "held", why: "capability"},
		{name: "L32 a page with a password field", route: "/entrance/{c}", path: "/entrance/{c}", head: "<script>1</script><input type=password>",
			want: "listed", why: "route"},
		{name: "L32 the same beside nothing", route: "/welcome/{name}", path: "/welcome/{c}", head: "<input type=password>", want: "waiting",
			why: "no-evidence"},
		{name: "L34 a JSON web token", route: "/login/{jwt}", path: "/login/{c}", canaries: []string{jwt}, siblings: true, want: "held",
			why: "risky-word|capability"},
		{name: "L35 a signed URL", route: "/files/{slug}", path: "/files/{c}?X-Amz-Signature=" + marker + "&X-Amz-Expires=900", siblings: true,
			want: "excluded", why: "query-not-canonical"},
		{name: "L36 an e-mail address", path: "/u/{c}%40example.org", siblings: true, want: "refused", why: "email"},
		{name: "L37 a session in the path", path: "/shelf/{c};jsessionid=" + marker, want: "refused", why: "path-param"},
		{name: "a session as a segment", path: "/stall/{c}/jsessionid=" + marker, siblings: true, want: "refused", why: "path-param"},
		{name: "an e-mail address of full width", path: "/u/{c}%EF%BC%A0example.org", siblings: true, want: "refused", why: "email"},
		{name: "a log-out of a program", route: "/leave/{c}/{name}", path: "/leave/{c}/logout.php", linked: true, want: "held", why: "action-word"},
		{name: "L38 another host", route: "/hosts/{c}", path: "/hosts/{c}", visit: byHost("evil-" + marker + ".example"), want: "unknown", why: "none"},
		{name: "L39 headers that name another host", route: "/proxied/{c}", path: "/proxied/{c}",
			headers: header("X-Forwarded-Host", "evil-"+marker+".example", "X-Forwarded-Proto", "http",
				"Forwarded", "host=evil-"+marker+".example;proto=http"), want: "listed", why: "route"},
		{name: "L40 HTML under the name of a style sheet", route: "/account/{c}.css", path: "/account/{c}.css", want: "unknown", why: "none"},
		{name: "L41 a page not found that says 200", path: "/{c}", canaries: many(100), siblings: true,
			answer: func(rw http.ResponseWriter, _ *http.Request, _ string) {
				io.WriteString(rw, html("", "Not found"))
			}, want: "held", why: "duplicate|soft-not-found"},
		{name: "L42 what people search for", route: "/search/{query}", path: "/search/{c}", canaries: many(100), siblings: true, want: "held",
			why: "risky-word"},
	}
}

// leavingRows are pages that were listed and answer otherwise in the last round.
func leavingRows() []*row {
	return []*row{
		{name: "L43 turned 404", route: "/gone/{id}", path: "/gone/{c}", linked: true, late: status(404), want: "listed", why: "link",
			says: "answered 404 at"},
		{name: "L43 turned 410", route: "/closed/{id}", path: "/closed/{c}", linked: true, late: status(410), want: "gone", why: "gone", was: true},
		{name: "L43 turned 401", route: "/locked/{id}", path: "/locked/{c}", linked: true, late: status(401), want: "listed", why: "link",
			says: "answered 401 at"},
		{name: "L43 turned 403", route: "/barred/{id}", path: "/barred/{c}", linked: true, late: status(403), want: "listed", why: "link",
			says: "answered 403 at"},
		{name: "L43 leads to the log-in", route: "/guarded/{id}", path: "/guarded/{c}", linked: true, late: redirect(302, "/login?next=/"),
			want: "listed", why: "link", says: "answered 302 at"},
		{name: "L44 fails", route: "/shaky/{id}", path: "/shaky/{c}", linked: true, late: status(500), want: "listed", why: "link"},
		{name: "L44 is not available", route: "/resting/{id}", path: "/resting/{c}", linked: true, late: status(503), want: "listed", why: "link"},
		{name: "L44 is asked too often", route: "/busy/{id}", path: "/busy/{c}", linked: true, late: status(429), want: "listed", why: "link"},
	}
}

// oddRows are responses that show no whole page, or another one.
func oddRows() []*row {
	return []*row{
		{name: "L45 panics after a part, caught outside", route: "/broken/{c}", path: "/broken/{c}",
			answer: func(rw http.ResponseWriter, _ *http.Request, html string) { io.WriteString(rw, html); panic(marker) }, want: "unknown", why: "none"},
		{name: "L45 panics after a part, caught inside", route: "/cracked/{c}", path: "/cracked/{c}", answer: recovered, want: "unknown", why: "none"},
		{name: "L46 the client leaves", route: "/parted/{c}", path: "/parted/{c}", visit: leaving, answer: stalled, want: "unknown", why: "none"},
		{name: "L46 less than was declared", route: "/short/{c}", path: "/short/{c}",
			answer: func(rw http.ResponseWriter, _ *http.Request, html string) {
				rw.Header().Set("Content-Length", "100000")
				io.WriteString(rw, html)
			}, want: "unknown", why: "none"},
		{name: "L46 a range", route: "/pieces/{c}", path: "/pieces/{c}", headers: header("Range", "bytes=0-99"),
			answer: func(rw http.ResponseWriter, r *http.Request, html string) {
				http.ServeContent(rw, r, "x.html", time.Time{}, strings.NewReader(html))
			}, want: "unknown", why: "none"},
		{name: "L47 another page is canonical", route: "/copies/{c}", path: "/copies/{c}",
			head: `<link rel=canonical href="https://example.com/elsewhere/{c}">`, want: "excluded", why: "canonical-elsewhere"},
		{name: "L47 the page named there", route: "/twins/{c}", path: "/twins/{c}", loc: "/elsewhere/{c}",
			head: `<link rel=canonical href="https://example.com/elsewhere/{c}">`, want: "unknown", why: "none"},
		{name: "L47 a page of another host is canonical", route: "/mirrors/{c}", path: "/mirrors/{c}",
			head: `<link rel=canonical href="https://` + marker + `.example/mirrors/{c}">`, want: "excluded", why: "canonical-elsewhere"},
		{name: "L48 gzip inside", route: "/packed/{c}", path: "/packed/{c}", answer: packed("gzip"), want: "listed", why: "route"},
		{name: "L48 gzip inside, and noindex in it", route: "/packs/{c}", path: "/packs/{c}", head: "<meta name=robots content=noindex>",
			answer: packed("gzip"), want: "excluded", why: "noindex"},
		{name: "L48 an encoding nobody knows", route: "/scrambled/{c}", path: "/scrambled/{c}", answer: packed("x-own"), want: "held", why: "encoding"},
		{name: "L48 clients of a private network", route: "/nearby/{slug}", path: "/nearby/{c}", siblings: true, visit: byPrivate, want: "waiting",
			why: "no-evidence"},
		{name: "L48 JSON", route: "/data/{c}", path: "/data/{c}", answer: with("Content-Type", "application/json"), want: "unknown", why: "none"},
		{name: "L48 events", route: "/events/{c}", path: "/events/{c}", answer: with("Content-Type", "text/event-stream"), want: "unknown", why: "none"},
		{name: "L48 an attachment", route: "/saves/{c}", path: "/saves/{c}", response: header("Content-Disposition", `attachment; filename="x.html"`),
			want: "unknown", why: "none"},
		{name: "L48 POST", route: "/forms/{c}", path: "/forms/{c}", method: http.MethodPost, want: "unknown", why: "none"},
	}
}

// personalRows are locations that look public and are not.
func personalRows() []*row {
	return []*row{
		{name: "a link of each visitor's own", route: "/tables/{id}", path: "/tables/{c}", canaries: tokens(uuids, rounds, 7), siblings: true,
			personal: true, want: "held", why: "capability"},
		{name: "a session in the path", route: "/shop/{session}/home", path: "/shop/(S({c}))/home",
			canaries: tokens(of("abcdefghijklmnopqrstuvwxyz012345", 24), rounds, 8), personal: true, want: "held", why: "capability"},
		{name: "a token in a parameter that is allowed", route: "/reader/{slug}", path: "/reader/leaf?page={c}", canaries: tokens(uuids, 1, 9),
			siblings: true, want: "excluded", why: "query-not-canonical"},
		{name: "a token in a parameter that is allowed, of letters alone", route: "/readers/{slug}", path: "/readers/leaf?page={c}",
			canaries: tokens(of("abcdefghijklmnopqrstuvwxyz", 20), 1, 12), siblings: true, want: "held", why: "capability"},
		{name: "a token in a route of its own", route: "/hidden/{c}", path: "/hidden/{c}", canaries: tokens(uuids, 1, 10), want: "held",
			why: "capability"},
		{name: "a linked page moves each visitor to one of his own", route: "/pads/{id}", path: "/pads/{c}", canaries: tokens(uuids, rounds, 11),
			personal: true, moves: http.StatusMovedPermanently, want: "held", why: "capability"},
		{name: "the same, to words", route: "/rooms/{id}", path: "/rooms/{c}", canaries: apart(rounds), personal: true,
			moves: http.StatusMovedPermanently, want: "held|waiting", why: "no-evidence|capability"},
		{name: "the same for a while, to words", route: "/suites/{id}", path: "/suites/{c}", canaries: apart(rounds), personal: true,
			moves: http.StatusSeeOther, want: "waiting", why: "no-evidence"},
		{name: "pages that lead each visitor back", route: "/guestbooks/{slug}", path: "/guestbooks/{c}", canaries: guestbooks, linked: true,
			answer: leadsBack, want: "listed", why: "link"},
		{name: "where visitors came from, a token", route: "/letters/{id}", path: "/letters/{c}", canaries: tokens(uuids, 1, 13),
			visit: andSign(guestbooks[0], referred), want: "held", why: "capability"},
		{name: "where visitors came from, words", route: "/diaries/{slug}", path: "/diaries/{c}", visit: andSign(guestbooks[1], referred),
			want: "waiting", why: "no-evidence"},
		{name: "where visitors came from, a risky word", route: "/invoices/{id}", path: "/invoices/{c}", canaries: []string{"100234977"},
			visit: andSign(guestbooks[2], referred), want: "held", why: "risky-word|capability"},
		{name: "where visitors came from, in the query", route: "/memos/{id}", path: "/memos/{c}", canaries: tokens(uuids, 1, 14),
			visit: andSign(guestbooks[3], func(r *http.Request, target string) { r.URL.RawQuery = "utm_content=" + url.QueryEscape(target) }),
			want:  "held", why: "capability"},
		{name: "robots.txt forbids it", route: "/backstage/{slug}", path: "/backstage/{c}", linked: true, want: "excluded", why: "disallowed"},
		{name: "robots.txt forbids it, a route of its own", route: "/backstage/props/{c}", path: "/backstage/props/{c}", want: "excluded",
			why: "disallowed"},
	}
}

// guestbooks are the pages that lead each visitor back, one for each row that
// comes to them.
var guestbooks = []string{"of-the-harbour", "of-the-lighthouse", "of-the-old-mill", "of-the-orchard"}

// leadsBack links to where the visitor came from, as far as his request says that.
func leadsBack(rw http.ResponseWriter, r *http.Request, _ string) {
	io.WriteString(rw, html("", "guests of "+r.URL.Path, r.Referer(), r.URL.Query().Get("utm_content")))
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

func referred(r *http.Request, target string) { r.Header.Set("Referer", origin+target) }

// headerRows are pages of visitors whom a proxy or a program names in a header.
func headerRows() (rows []*row) {
	for _, h := range []string{
		"X-Forwarded-User", "Cf-Access-Jwt-Assertion", "X-Goog-IAP-JWT-Assertion", "X-Auth-Request-Email", "Remote-User", "X-Amzn-Oidc-Data",
		"X-Api-Key", "Tailscale-User-Login", "Private-Token", "X-Token-User-Email", "X-Apigateway-Api-Userinfo", "X-Auth-Email", "REMOTE_USER",
		"SM_USER", "iv-user", "OAM_REMOTE_USER", "Teleport-Jwt-Assertion", "X-Authorization", "X-SSL-Cert", "X-Client-Dn", "X-LoginName", "X-Account-Id",
	} {
		rows = append(rows, &row{name: "L16 " + h, route: "/lobby/{c}", path: "/lobby/{c}", headers: header(h, marker), want: "unknown", why: "none"})
	}
	return rows
}

// adminRows are pages for those who run the site.
func adminRows() (rows []*row) {
	for _, path := range []string{"/admin", "/wp-admin/", "/debug/pprof/", "/metrics", "/actuator"} {
		exact := path
		if strings.HasSuffix(path, "/") {
			exact += "{$}"
		}
		below := strings.TrimSuffix(path, "/") + "/{c}"
		rows = append(rows,
			&row{name: "L33 " + path, route: exact, path: path, want: "held", why: "risky-word"},
			&row{name: "L33 below " + path, route: below, path: below, want: "held", why: "risky-word"})
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
		{name: "the alternate of a public page", route: "/deutsch/{slug}", path: "/deutsch/{c}", canaries: []string{secret},
			head: link("de", "/deutsch/"+secret) + link("en", "/english/"+open), want: "waiting", why: "no-evidence"},
		{name: "a page with a private alternate", route: "/english/{slug}", path: "/english/{c}", canaries: []string{open}, linked: true,
			head: link("de", "/deutsch/"+secret) + link("en", "/english/"+open), want: "listed", why: "link"},
		{name: "an alternate that turns noindex", route: "/svenska/{slug}", path: "/svenska/{c}", canaries: []string{left}, linked: true,
			late: with("X-Robots-Tag", "noindex"),
			head: link("sv", "/svenska/"+left) + link("fi", "/suomi/"+stays), want: "excluded", why: "noindex", was: true},
		{name: "a page whose alternate turns noindex", route: "/suomi/{slug}", path: "/suomi/{c}", canaries: []string{stays}, linked: true,
			head: link("sv", "/svenska/"+left) + link("fi", "/suomi/"+stays), want: "listed", why: "link"},
	}
}

// recovered writes a part, panics and recovers, as middleware below the site
// does.
func recovered(rw http.ResponseWriter, _ *http.Request, html string) {
	defer func() {
		if recover() != nil {
			rw.WriteHeader(http.StatusInternalServerError)
		}
	}()
	io.WriteString(rw, html)
	panic(marker)
}

// packed encodes the page with gzip, whatever it calls that.
func packed(name string) func(http.ResponseWriter, *http.Request, string) {
	return func(rw http.ResponseWriter, _ *http.Request, html string) {
		rw.Header().Set("Content-Type", "text/html; charset=utf-8")
		rw.Header().Set("Content-Encoding", name)
		zw := gzip.NewWriter(rw)
		io.WriteString(zw, html)
		zw.Close()
	}
}
