package leak_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/testkit"
)

// TestPublicPagesAreListed shows a site hundreds of public pages, and wants nearly all of them in the
// sitemap: a site that lists nothing leaks nothing either.
func TestPublicPagesAreListed(t *testing.T) {
	const least = 0.99
	both := []setup{{router: "ServeMux", proto: "HTTP/2.0"}, {router: "mux", proto: "HTTP/1.1"}} // the other pairs
	if testing.Short() {
		both = both[:1]
	}
	for _, way := range both {
		t.Run(way.router+", "+way.proto, func(t *testing.T) {
			way.rounds = 4
			rows := publicRows()
			s := newScene(t, way, rows)
			s.brief = true
			s.visitAll()
			const told = 20
			missed := 0
			for _, p := range s.pages {
				if problem := s.check(p); problem == "" {
					continue
				} else if missed++; missed <= told {
					t.Logf("%s: %s: %s", p.name, p.location, problem)
				}
			}
			n, of := len(s.pages)-missed, len(s.pages)
			t.Logf("%d of %d are listed, %.4f", n, of, float64(n)/float64(of))
			if of < 500 || float64(n) < least*float64(of) {
				t.Errorf("%d of %d public pages are listed, want %.2f of at least 500", n, of, least)
			}
			s.report(t, s.leaks())
		})
	}
}

// language is a few words of a language as they occur in names of pages.
type language struct{ name, words string }

var languages = []language{
	{"english", "how to bake bread without yeast the quiet history of lighthouses five walks along river summer garden ideas why cats purr"},
	{"german", "wie man einen apfelbaum schneidet frühstück in münchen die schönsten wanderwege am bodensee straßenbahn geschichte grüße aus köln"},
	{"french", "comment réussir une tarte aux pommes le château de la forêt été à la mer les meilleurs marchés de noël élevage d'abeilles"},
	{"spanish", "cómo preparar una tortilla española el año nuevo en la montaña niños y jardín canción de otoño las mejores playas"},
	{"italian", "come cucinare gli spaghetti la città vecchia di notte perché il caffè è così buono viaggio lungo la costa"},
	{"polish", "jak upiec chleb na zakwasie najpiękniejsze szlaki w górach święta wielkanocne źródło wisły łódź nad rzeką"},
	{"portuguese", "como fazer pão caseiro as praias do sul canção da manhã coração de lisboa história da navegação"},
	{"swedish", "så bakar du surdegsbröd sommarängar i skåne vandring över fjället höstens bästa äpplen båten på sjön"},
	{"finnish", "näin leivot ruisleipää järven rannalla kesäyö lapissa syksyn värit metsän eläimet mökki meren äärellä"},
	{"turkish", "evde ekmek nasıl yapılır istanbul'un en güzel çarşıları kış günleri deniz kıyısında yürüyüş"},
	{"hungarian", "hogyan süssünk kenyeret a legszebb túraútvonalak őszi erdő a balaton körül tűzrakás"},
	{"vietnamese", "cách làm bánh mì những con đường đẹp nhất mùa hè bên biển vườn nhỏ trong phố"},
	{"russian", "как испечь хлеб дома самые красивые тропы летний сад на берегу реки старый город зимой"},
	{"greek", "πώς να φτιάξετε ψωμί οι πιο όμορφες παραλίες καλοκαίρι στο νησί ο κήπος της γιαγιάς"},
	{"hebrew", "איך אופים לחם בבית השבילים היפים ביותר קיץ ליד הים הגן הקטן"},
	{"arabic", "كيف تخبز الخبز في البيت أجمل الطرق في الجبال صيف على الشاطئ حديقة صغيرة"},
	{"hindi", "घर पर रोटी कैसे बनाएं सबसे सुंदर रास्ते गर्मी का बगीचा नदी के किनारे"},
	{"thai", "วิธีทำขนมปัง เส้นทางเดินป่า ฤดูร้อน ริมทะเล สวนเล็ก ในเมือง"},
	{"chinese", "如何在家 烤面包 最美的 山间小路 夏天的 花园 河边散步 老城 冬夜"},
	{"japanese", "パンの焼き方 夏の庭 川沿いの散歩 古い町 冬の夜 山の小道 海辺の朝"},
	{"korean", "집에서 빵 굽는 법 여름 정원 강가 산책 오래된 도시 겨울 밤 산길"},
	{"pinyin", "ruhe zai jia kao mianbao zui mei de shanjian xiaolu xiatian huayuan hebian sanbu"},
	{"romaji", "pan no yakikata natsu no niwa kawazoi no sanpo furui machi fuyu no yoru yama no komichi"},
}

// slugs returns n names of two to five words, escaped as browsers do.
func (g language) slugs(n int) (all []string) {
	words := strings.Fields(g.words)
	for i := range n {
		k := min(2+i%4, len(words)-1)
		at := (i * 3) % (len(words) - k)
		slug := strings.Join(words[at:at+k], "-")
		if i > 5 {
			slug += fmt.Sprintf("-%d", i)
		}
		all = append(all, (&url.URL{Path: "x" + slug}).EscapedPath()[1:])
	}
	return all
}

// shelves are other public pages. Each has a route, a path and names.
var shelves = []struct{ route, path, names string }{
	{"/products/{slug}", "/products/{c}", `iphone-15-pro-max-256gb canon-eos-5d-mark-iv wd40-500ml
		samsung-galaxy-s24-ultra-512gb lego-technic-42115 bosch-gsr-18v-55
		sony-wh-1000xm5 thinkpad-x1-carbon-gen-11 nike-air-max-90 ikea-billy-80x28x202 usb-c-cable-2m hp-laserjet-m110we dyson-v15 rtx-4070-ti-super
		m8x40-hex-bolt-din-933 a4-paper-80gsm-500 led-e27-806lm-2700k ssd-990-pro-2tb bmw-320d-f30-2014 ps5-slim-1tb`},
	{"/news/{year}/{month}/{day}/{slug}", "/news/2026/11/21/{c}", `election-night winter-storm-warning-lifted interview-with-a-baker
		10-years-of-trams team-wins-4-2 g20-summit covid-19-figures q3-earnings
		world-cup-2026-draw 7-things-to-know mp3-player-turns-25 50th-anniversary`},
	{"/docs/{version}/{name}", "/docs/v1.22.3/{c}", `getting-started ConcurrentHashMap.html QAbstractItemModel.html java.util.concurrent.html
		std_vector.html numpy.ndarray.html
		classFoo_1_1Bar.html configuration-reference http2.html utf8.html i18n.html AbstractBeanFactoryAwareAdvisingPostProcessor.html
		module-os.path.html api_v2.html gtk4-migration.html x509.html rfc9110.html sha256.html 03-functions.html index.html`},
	{"/wiki/{title}", "/wiki/{c}", `Llanfairpwllgwyngyll Gdansk S%C3%A3o_Paulo Rhein-Neckar-Kreis 2024_Summer_Olympics Beethoven's_5th
		C++ Henry_VIII AC/DC World_War_II
		Reykjav%C3%ADk Ouagadougou Titicaca Ljubljana Krasnoyarsk Thiruvananthapuram (Hey)_Jude Apollo_11 %E6%9D%B1%E4%BA%AC 1984_(novel)`},
	{"/item/{id}", "/item/{c}", `12345 100234 7 20261121 99 450001 1001 31337 88 654321`},
	{"/books/{isbn}", "/books/{c}", `9783161484100 9780306406157 9781861972712 9780131103627 9780201633610 9780596007126`},
	{"/cve/{id}", "/cve/{c}", `CVE-2024-3094 CVE-2021-44228 CVE-2014-0160 CVE-2017-5754`},
	{"/releases/{v}", "/releases/{c}", `v1.0.0 v2.11.0-rc.1 2026.11 1.2.3-beta4 go1.26.8 24.04-lts`},
	{"/people/{name}", "/people/{c}", `grace-hopper ada-lovelace wolfgang-amadeus-mozart nguyen-van-thieu siobhan-o-brien
		krzysztof-kieslowski zbigniew-brzezinski xi-qiang mcdonald-j-r @jane`},
	{"/de/{slug}", "/de/{c}", `impressum datenschutz ueber-uns haeufige-fragen kontakt`},
	{"/archive/{slug}", "/archive/{c}?page=3", `spring summer autumn winter travel cooking gardens music films books`},
	{"/howto/{slug}", "/howto/{c}", `reset-a-router share-a-printer write-an-invitation order-books-abroad
		choose-a-password draft-a-letter find-mushrooms preview-a-film`},
	{"/forum/{id}/{slug}", "/forum/48211/{c}", `why-does-my-bread-not-rise best-hiking-boots what-is-a-monad tabs-or-spaces thread-of-the-year`},
	{"/colours/{hex}", "/colours/{c}", `ff8800 a0b1c2 336699 c0ffee fade00`},
	{"/guides/{place...}", "/guides/europe/france/brittany/coast/{c}", `lighthouses oysters tides crepes megaliths`},
}

// publicRows are linked pages.
func publicRows() (rows []*row) {
	add := func(name, route, path string, names []string) {
		rows = append(rows, &row{name: name, route: route, path: path, canaries: names, linked: true, visit: politely, answer: anyhow, want: "listed: link"})
	}
	for _, g := range languages {
		add(g.name, "/"+g.name+"/{slug}", "/"+g.name+"/{c}", g.slugs(17))
	}
	for _, s := range shelves {
		add(s.path, s.route, s.path, strings.Fields(strings.ReplaceAll(s.names, "AC/DC", "AC-DC")))
	}
	return rows
}

// politely gets a page as one of many kinds of anonymous visitors do.
func politely(w *world, p *page, n int) {
	target, headers, methods := p.target, http.Header{}, []string{http.MethodGet}
	switch (p.chance + uint64(n)) % 8 {
	case 1:
		methods = []string{http.MethodHead, http.MethodGet}
	case 2:
		headers = header("Cookie", "_ga=GA1.2.3; _gid=GA1.4; OptanonConsent=x", "Referer", "https://www.example.org/")
	case 3:
		target += map[bool]string{true: "&", false: "?"}[strings.Contains(target, "?")] + "utm_source=news&utm_medium=mail&gclid=abc"
	case 4: // a browser that has the page asks whether it is new, and then another browser gets it
		w.do(w.client, w.request(n, http.MethodGet, target, header("If-None-Match", `"v1"`)))
	case 5:
		headers = header("Accept-Language", "fr-CH, fr;q=0.9", "Accept-Encoding", "gzip, br", "User-Agent", "Mozilla/5.0",
			"Dnt", "1", "Sec-Fetch-Mode", "navigate")
	case 6: // a logged-in visitor gets it first
		w.do(w.client, w.request(n, http.MethodGet, target, header("Cookie", "session="+marker)))
	case 7:
		w.do(w.client, w.request(n, http.MethodPost, target, nil))
	}
	for _, method := range methods {
		w.do(w.client, w.request(n, method, target, headers))
	}
}

// anyhow answers as one of many kinds of servers do.
func anyhow(rw http.ResponseWriter, r *http.Request, page string) {
	if r.Header.Get("If-None-Match") != "" {
		rw.WriteHeader(http.StatusNotModified)
		return
	}
	if r.Header.Get("Cookie") == "session="+marker {
		page = testkit.HTML("", "the same for members "+marker)
	}
	switch len(r.URL.Path) % 8 {
	case 1:
		http.SetCookie(rw, &http.Cookie{Name: "_csrf", Value: marker, HttpOnly: true})
		io.WriteString(rw, page)
	case 2:
		packed("gzip")(rw, r, page)
	case 3:
		inPieces(rw, r, page)
	case 4:
		rw.Header().Set("Cache-Control", "public, max-age=600, stale-while-revalidate=60")
		http.ServeContent(rw, r, "page.html", time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC), strings.NewReader(page))
	case 5:
		rw.Header().Set("X-Robots-Tag", "max-snippet:-1, max-image-preview:none")
		rw.Header().Set("Cache-Control", "no-cache, must-revalidate")
		page = strings.Replace(page, "</head>", `<meta name="robots" content="index, follow"></head>`, 1)
		io.WriteString(rw, strings.Replace(page, "<body>", "<body><header><form><input type=password></form></header>", 1))
	case 6:
		rw.Header().Set("Content-Type", "application/xhtml+xml; charset=utf-8")
		io.WriteString(rw, page)
	case 7:
		rw.Header().Set("Vary", "Cookie, Accept-Language")
		rw.Header().Set("Content-Disposition", "inline")
		io.WriteString(rw, strings.Replace(page, "</head>", `<link rel="canonical" href="`+testkit.Origin+r.URL.EscapedPath()+query(r)+`"></head>`, 1))
	default:
		io.WriteString(rw, page)
	}
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

// query returns the part of the query that belongs to the page.
func query(r *http.Request) string {
	if n := r.URL.Query().Get("page"); n != "" {
		return "?page=" + n
	}
	return ""
}
