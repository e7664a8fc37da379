package e2e

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/zeebo/xxh3"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/internal/admin/messages"
	"github.com/servemap/servemap/internal/testkit"
	"github.com/servemap/servemap/internal/testkit/base"
	"github.com/servemap/servemap/store/memstore"
)

// A deployment is a site, and how servemap comes to know it.
//
// Each line of the site is one address: + if it is to be listed, - if not, ! if it is private, so that it must not be.
// Then come what is special about its page, and the links on it after >. {1-20} makes twenty addresses of a line, or
// twenty links; ~ is the number of the address then. $O is the origin. * is any other address.
type deployment struct {
	name string
	how  how
	late bool // not all is listed before the owner does what servemap says
	site string
}

// how servemap comes to know a site.
type how string

const (
	byVisits how = "visits" // by what visitors with sessions, or without, ask for
	byInside how = "inside" // it is explored in its own process
	byOrigin how = "origin" // it is explored through an origin that leads to it
	byNginx  how = "nginx"  // the same, but what is in front names the program's address as Host, as nginx does by default
	byProxy  how = "proxy"  // servemap is a process of its own in front of the site, and explores it
)

// pages are those of a deployment by their address, as it is requested, and which of them are to be listed.
type pages struct {
	all           map[string][]string // what is special, and the links after ">"
	paths         []string            // to visit
	wanted, never map[string]bool
}

var several = regexp.MustCompile(`\{(\d+)-(\d+)\}`)

// each calls fn with each of the texts that a text with {1-20} stands for, and its number.
func each(text string, fn func(text, n string)) {
	m := several.FindStringSubmatch(text)
	if m == nil {
		fn(text, "")
		return
	}
	first, _ := strconv.Atoi(m[1])
	last, _ := strconv.Atoi(m[2])
	for i := first; i <= last; i++ {
		fn(strings.Replace(text, m[0], strconv.Itoa(i), 1), strconv.Itoa(i))
	}
}

func (d *deployment) pages() *pages {
	p := &pages{map[string][]string{}, nil, map[string]bool{}, map[string]bool{}}
	for line := range strings.Lines(d.site) {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		each(words[0][1:], func(path, n string) {
			for _, w := range words[1:] {
				each(strings.ReplaceAll(w, "~", n), func(w, _ string) { p.all[path] = append(p.all[path], w) })
			}
			p.all[path] = append(p.all[path], "") // for a page with nothing special
			p.wanted[path], p.never[path] = words[0][0] == '+', words[0][0] == '!'
			p.paths = append(p.paths, path)
		})
	}
	return p
}

// ServeHTTP answers as the site does.
func (p *pages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	words := p.all[r.RequestURI]
	if words == nil {
		words = p.all["*"]
	}
	status, head, more, body, links := http.StatusOK, "", "", "", []string(nil)
	text := "what is at " + r.RequestURI + ", which is " + paragraph(int(xxh3.HashString(r.RequestURI)%1000))
	if words == nil {
		status = http.StatusNotFound
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	for i, word := range words {
		word = strings.ReplaceAll(word, "$O", "http://"+r.Host)
		name, value, _ := strings.Cut(word, ":")
		header, says, isHeader := strings.Cut(word, "=")
		switch n, _ := strconv.Atoi(name); {
		case links != nil && word != "":
			links = append(links, word)
		case word == ">":
			links = []string{"/"}
		case n > 0:
			status = n
			w.Header().Set("Location", value)
		case name == "refresh":
			head += `<meta http-equiv="refresh" content="0; url=` + value + `">`
		case name == "base":
			head += `<base href="` + value + `">`
		case name == "noindex", name == "nofollow":
			head += `<meta name="robots" content="` + name + `">`
		case name == "canonical", name == "next", name == "contents":
			head += fmt.Sprintf(`<link rel="%s" href="%s">`, name, value)
		case name == "alternate":
			head += fmt.Sprintf(`<link rel="alternate" hreflang="%s" href="%s">`, []string{"en", "de", "fr", "es"}[i%4], value)
		case name == "body":
			body = strings.NewReplacer("_", " ", "|", "\n").Replace(value)
		case name == "head":
			head += strings.ReplaceAll(value, "_", " ")
		case name == "says":
			text = strings.ReplaceAll(value, "_", " ")
		case name == "has":
			more += strings.ReplaceAll(value, "_", " ")
		case name == "members" && r.Header.Get("Cookie") != "member=1":
			status = http.StatusForbidden
		case isHeader:
			w.Header().Set(header, strings.ReplaceAll(says, "_", " "))
		}
	}
	w.WriteHeader(status)
	if body != "" {
		fmt.Fprint(w, body)
		return
	}
	fmt.Fprint(w, testkit.HTML(head, text, links...)+more)
}

// run runs the deployment, and returns what is listed and what the owner is told to add.
func (d *deployment) run(t *testing.T, opts servemap.Options) (listed map[string]bool, add servemap.Options) {
	pages := d.pages()
	if d.how == byVisits || d.how == byInside {
		testkit.Run(t, testkit.Setup{Handler: pages, Options: opts, Origin: "http://example.com"}, func(s *testkit.Site) {
			done := servemap.Exploration{}
			if d.how == byInside {
				done = explore(s, servemap.ExploreOptions{})
			}
			for range 3 {
				if d.how == byVisits {
					s.Visit(pages.paths...)
					for path := range pages.never {
						s.Get(path, "Cookie", "member=1")
					}
				}
				s.Settle()
				time.Sleep(2 * time.Minute)
			}
			listed, add = found(t, s.Site, done, "http://example.com")
		})
		return listed, add
	}
	var outer http.Handler
	outside := base.Serve(t, func(w http.ResponseWriter, r *http.Request) { outer.ServeHTTP(w, r) })
	opts.Logger = new(base.Log).Logger()
	site, err := servemap.New(outside, new(memstore.Store), &opts)
	base.Check(t, err)
	defer site.Close(context.Background())
	program := httptest.NewServer(pages)
	if d.how != byProxy {
		program.Config.Handler = site.Wrap(pages)
	}
	defer program.Close()
	to, err := url.Parse(program.URL)
	base.Check(t, err)
	outer = &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		if r.SetURL(to); d.how != byNginx {
			r.Out.Host = r.In.Host
		}
	}, ModifyResponse: func(resp *http.Response) error { // nginx does so by default
		resp.Header.Set("Location", strings.TrimPrefix(resp.Header.Get("Location"), program.URL))
		return nil
	}}
	if d.how == byProxy {
		outer = site.Wrap(outer)
	}
	done, err := site.Explore(t.Context(), nil)
	base.Check(t, err)
	return found(t, site, done, outside)
}

// found returns what a site lists, and what the owner is told to add.
func found(t *testing.T, site *servemap.Site, done servemap.Exploration,
	origin string) (map[string]bool, servemap.Options) {
	listed, add := map[string]bool{}, servemap.Options{}
	for p, err := range site.Pages(t.Context()) {
		base.Check(t, err)
		listed[strings.TrimPrefix(p.URL, origin)] = true
	}
	add.Query = append(messages.Parameters(done.Params), "page")
	if st := site.Stats(); st.Verdicts["excluded private"]+st.Verdicts["excluded no-store"] > st.Listed {
		add.Rules = []servemap.Rule{{Pattern: "/", IgnoreCacheControl: true}}
	}
	return listed, add
}

// hops are redirects in a row from a link on.
func hops(n int) string {
	site := "+/ > /hop/1\n"
	for i := range n {
		site += fmt.Sprintf("-/hop/%d 302:/hop/%d\n", i+1, i+2)
	}
	return site
}

// cursor is the opaque name of the n-th page of a list.
func cursor(n int) string {
	return base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "at:17%08d:id", n*7919))
}

// goesOn is a list of eight pages with five posts each, which a parameter leads to.
func goesOn(param string, name func(n int) string) string {
	site, at := "+/ > /list\n+/posts/{1-40}\n", "+/list"
	for i := range 8 {
		next := "/list?" + param + "=" + name(i+1)
		site += fmt.Sprintf("%s > /posts/{%d-%d} %s\n", at, 5*i+1, 5*i+5, next)
		at = "-" + next
	}
	return site
}

// Of these deployments, all pages are listed at once, or once the owner does what he is told, and never a private one.
func TestDeployments(t *testing.T) {
	atOnce, after := 0, 0
	for _, d := range deployments {
		t.Run(d.name, func(t *testing.T) {
			p := d.pages()
			count := func(listed map[string]bool) (n, others int) {
				for path := range listed {
					switch {
					case p.never[path]:
						t.Errorf("%s is private, and listed", path)
					case p.wanted[path]:
						n++
					default:
						others++
					}
				}
				return n, others
			}
			want := 0
			for _, is := range p.wanted {
				if is {
					want++
				}
			}
			listed, add := d.run(t, servemap.Options{})
			first, others := count(listed)
			then := first
			if first < want {
				listed, _ = d.run(t, add)
				then, others = count(listed)
			}
			t.Logf("%s: of %d %d at once, %d after the printed line, %d others", d.how, want, first, then, others)
			if first == want {
				atOnce++
			}
			if then == want {
				after++
			}
			if then < want || others > 0 || first < want != d.late {
				t.Errorf("of %d %d at once, %d after the printed line, %d others: %v", want, first, then, others, listed)
			}
		})
	}
	t.Logf("of %d deployments %d are right at once, %d after the printed line", len(deployments), atOnce, after)
}

var deployments = []deployment{
	{"a site of a few pages", byInside, false, `
		+/ > /about /blog/{1-20}
		+/about
		+/blog/{1-20}
		!/hidden`},
	{"folders that are linked without their slash", byInside, false, `
		+/ > /news/{1-40}
		-/news/{1-40} 301:/news/~/
		+/news/{1-40}/ > /news/{1-40}`},
	{"a framework that adds the slash, and asks to log in", byProxy, false, `
		+/ > /about /blog /tags /admin
		+/about/
		-/about 301:/about/
		+/blog/ > /blog/{1-30}
		-/blog 301:/blog/
		-/blog/{1-30} 301:/blog/~/
		+/blog/{1-30}/ > /tags /admin
		+/tags/ > /tags/t{1-18}
		-/tags 301:/tags/
		-/tags/t{1-18} 301:/tags/t~/
		+/tags/t{1-18}/
		-/admin 301:/admin/
		-/admin/ 302:/admin/login/?next=/admin/
		-/admin/login/ has:<form><input_type=password></form>`},
	{"numbers that are led to titles", byInside, false, `
		+/ > /item?id={1-30}
		-/item?id={1-30} 301:/item/a-title-~
		+/item/a-title-{1-30}`},
	{"numbers that are led to titles below them", byOrigin, false, `
		+/ > /news/{1-9}
		-/news/{1-9} 302:/news/~/rain
		+/news/{1-9}/rain`},
	{"three redirects at the root", byInside, false, `
		-/ 301:/shop
		-/shop 307:/shop/
		-/shop/ 302:/shop/en/
		+/shop/en/ > /shop/en/p{1-14}
		+/shop/en/p{1-14}`},
	{"a menu whose entry leads to the latest version", byInside, false, `
		+/ > /docs
		-/docs 302:/docs/v5/
		+/docs/v5/ > /docs/v5/c{1-12}
		+/docs/v5/c{1-12} > /docs`},
	{"a link to each status", byNginx, false, `
		+/ > /from-301 /from-302 /from-303 /from-307 /from-308 /from-300
		-/from-301 301:/to-301
		-/from-302 302:/to-302
		-/from-303 303:/to-303
		-/from-307 307:/to-307
		-/from-308 308:/to-308
		-/from-300 300:/to-300
		-/to-300
		+/to-301
		+/to-302
		+/to-303
		+/to-307
		+/to-308`},
	{"a root that leads to a language", byProxy, false, `
		-/ 302:/en/
		+/en/ alternate:/de/ > /en/{1-12}
		+/de/ alternate:/en/ > /de/{1-12}
		+/en/{1-12}
		+/de/{1-12}`},
	{"a root that leads to /home, whose pages link to the root", byVisits, false, `
		-/ 301:/home
		+/home > /a{1-5}
		+/a{1-5}`},
	{"a root that leads on with 303", byOrigin, false, `
		-/ 303:start
		+/start > /a{1-5}
		+/a{1-5}`},
	{"redirects that name the host", byNginx, false, `
		+/ > /a/{1-20}
		-/a/{1-20} 301:$O/a/~/
		+/a/{1-20}/`},
	{"a slash that is taken away", byProxy, false, `
		+/ > /a/{1-20}/
		-/a/{1-20}/ 308:/a/~
		+/a/{1-20}`},
	{"capitals that lead to small letters", byInside, false, `
		+/ > /Blog/Post-{1-20}
		-/Blog/Post-{1-20} 301:/blog/post-~
		+/blog/post-{1-20}`},
	{"index.html that leads to its folder", byVisits, false, `
		+/ > /a{1-9}/index.html
		-/a{1-9}/index.html 301:/a~/
		+/a{1-9}/`},
	{"names that lose their .html", byOrigin, false, `
		+/ > a{1-20}.html
		-/a{1-20}.html 308:/a~
		+/a{1-20}`},
	{"a blog that has moved from ?p= to titles", byProxy, false, `
		+/ > /?p={1-20}
		-/?p={1-20} 301:/2026/05/a-title-~/
		+/2026/05/a-title-{1-20}/`},
	{"links out by a counter", byInside, false, `
		+/ > /go/{1-20} /a
		-/go/{1-20} 302:https://elsewhere.test/~
		+/a`},
	{"relative redirects", byInside, false, `
		+/ > /x/a/{1-9}
		-/x/a/{1-9} 302:../b/~
		+/x/b/{1-9}`},
	{"ten redirects in a row", byInside, false, hops(10) + "+/hop/11"},
	{"eleven redirects in a row", byInside, false, hops(11) + "-/hop/12"},
	{"redirects in a circle, off the site and to where a request acts", byInside, false, `
		+/ > /a /b /c
		-/a 302:/a
		-/b 302:https://elsewhere.test/x
		-/c 302:/posts/5/delete
		-/posts/5/delete`},
	{"orders that only members get", byOrigin, false, `
		+/ > /shop /orders /account
		+/shop
		-/orders 302:/login?to=/orders
		-/account 401
		-/login?to=/orders has:<input_type=password>
		-/login has:<input_type=password>
		!/orders/{1-9} members`},

	{"a root that leads to a language, as generators write it", byProxy, false, `
		-/ noindex canonical:$O/en/ refresh:$O/en/
		+/en/ > /en/p{1-40}/
		+/en/p{1-40}/`},
	{"a root that leads to a manual", byInside, false, `
		-/ refresh:lib/index.html
		+/lib/index.html > m{1-9}.html
		+/lib/m{1-9}.html`},
	{"a root that leads on by its header", byOrigin, false, `
		-/ Refresh=2;_url=/start
		+/start > /start/{1-9}
		+/start/{1-9}`},
	{"links to stubs", byInside, false, `
		+/ > /old/{1-25}
		-/old/{1-25} says:Moved refresh:/new/~
		+/new/{1-25}`},
	{"stubs of pages elsewhere", byInside, false, `
		+/ > /a /old/{1-9}
		+/a
		-/old/{1-9} says:Moved refresh:https://elsewhere.test/~`},

	{"pages that lead nowhere else, or later, or only without scripts", byInside, false, `
		+/ > /board /clock /splash /plain /secret /sso
		+/board head:<meta_http-equiv=refresh_content=5>
		+/clock refresh:/clock?cookies=1
		-/clock?cookies=1 refresh:/clock?cookies=1
		+/splash head:<meta_http-equiv=refresh_content="6;url=/other">
		+/plain head:<noscript><meta_http-equiv=refresh_content="0;url=/other"></noscript>
		-/secret refresh:/login
		-/sso refresh://elsewhere.test/?next=/sso
		-/other
		-/login`},

	{"canonicals of their own", byNginx, false, `
		+/ canonical:/ > /a{1-9}
		+/a{1-9} canonical:/a~`},
	{"canonicals of their own, with a host", byProxy, false, `
		+/ canonical:$O/ > /a{1-9}
		+/a{1-9} canonical:$O/a~`},
	{"canonicals with https on a site of http", byOrigin, false, `
		+/ > /a{1-9}
		+/a{1-9} Link=</a~>;_rel=canonical`},
	{"variants of a product", byInside, false, `
		+/ > /p/{1-5}-red /p/{1-5}-blue
		-/p/{1-5}-red canonical:/p/~
		-/p/{1-5}-blue canonical:/p/~
		+/p/{1-5}`},
	{"queries that are canonical", byOrigin, false, `
		+/ > /view.php?id={1-20}
		+/view.php?id={1-20} canonical:/view.php?id=~`},
	{"canonicals that spell parameters in another order", byInside, false, `
		+/ > /view?b=2&a={1-9}
		+/view?a={1-9}&b=2 canonical:/view?a=~&b=2
		-/view?b=2&a={1-9} canonical:/view?a=~&b=2`},
	{"links with a campaign", byVisits, false, `
		+/ > /a{1-9}?utm_source=menu
		-/a{1-9}?utm_source=menu canonical:/a~
		+/a{1-9} canonical:/a~`},

	{"an article for each id", byProxy, true, `
		+/ > /article.php?id={1-20}
		-/article.php
		+/article.php?id={1-20} says:Article_on_the_harbour_number_~`},
	{"a list of pages", byInside, false, `
		+/ > /news
		+/news > /news?page=2 /n/{1-5}
		+/news?page=2 > /n/{6-9} /news?page=3
		+/news?page=3 > /n/{10-14}
		+/n/{1-14}`},
	{"four parameters for an article", byInside, true, `
		+/ > /index.php?option=content&view=article&id={1-12}&Itemid=5
		-/index.php
		+/index.php?option=content&view=article&id={1-12}&Itemid=5`},
	{"parameters in brackets", byOrigin, false, `
		+/ > /n/?tx_news%5Bnews%5D={1-9}
		+/n/?tx_news%5Bnews%5D={1-9} canonical:/n/?tx_news%5Bnews%5D=~`},
	{"orders of a list, and its filters", byInside, false, `
		+/ > /shop
		+/shop says:A_lot > /shop?sort=price /shop?sort=name /p/{1-12}
		-/shop?sort=price says:A_lot > /p/{1-12}
		-/shop?sort=name says:A_lot > /p/{1-12}
		+/p/{1-12}`},
	{"a session in each link", byInside, false, `
		+/ > /a{1-9}?sid=77
		+/a{1-9} says:The_story_of_~
		-/a{1-9}?sid=77 says:The_story_of_~`},
	{"sessions of PHP in each link", byInside, false, `
		+/ > /a{1-9}?PHPSESSID=77
		+/a{1-9} says:The_story_of_~`},
	{"posts and pages by number", byProxy, false, `
		+/ > /?p={1-12} /?page_id={1-4}
		+/?p={1-12} canonical:/?p=~
		+/?page_id={1-4} canonical:/?page_id=~`},
	{"a wiki of titles in a query, as private", byOrigin, true, `
		-/ 301:/index.php?title=Main
		+/index.php?title=Main Cache-Control=private canonical:/index.php?title=Main > /index.php?title=T{1-12}
		+/index.php?title=T{1-12} Cache-Control=private canonical:/index.php?title=T~`},
	{"a wiki with sessions", byProxy, true, `
		+/ Cache-Control=no-store Set-Cookie=wiki=1 > /doku.php?id=t{1-12}
		-/doku.php Cache-Control=no-store
		+/doku.php?id=t{1-12} Cache-Control=no-store Set-Cookie=wiki=1`},
	{"an application whose pages are never stored", byProxy, true, `
		+/ Cache-Control=private,_no-cache,_no-store,_max-age=0 > /p/{1-20}
		+/p/{1-20} Cache-Control=private,_no-cache,_no-store,_max-age=0`},
	{"languages in a query", byInside, false, `
		+/ > /a /a?lang=de /a?lang=fr
		+/a
		+/a?lang=de canonical:/a?lang=de
		+/a?lang=fr canonical:/a?lang=fr`},
	{"a list that goes on by cursors", byOrigin, false, goesOn("cursor", cursor)},
	{"a list that goes on after the last id", byInside, false, goesOn("after", func(n int) string {
		return fmt.Sprintf("%08x-1c2d-4e3f-8a9b-%012x", n*2654435761%4294967291, n*7919)
	})},

	{"languages that only the head names", byNginx, false, `
		+/ alternate:/de/ alternate:/fr/ > /a{1-5}
		+/de/ alternate:/
		+/fr/ alternate:/
		+/a{1-5} alternate:/de/a~ alternate:/fr/a~
		+/de/a{1-5} alternate:/a~
		+/fr/a{1-5} alternate:/a~`},
	{"a menu of languages", byVisits, false, `
		+/ > /de/ /fr/
		+/de/ > /de/a{1-5}
		+/de/a{1-5}
		+/fr/ > /fr/a{1-5}
		+/fr/a{1-5}`},
	{"titles in Chinese", byProxy, false, `
		+/ > /wiki/%E6%B8%AF%E5%8F%A3{1-9}
		+/wiki/%E6%B8%AF%E5%8F%A3{1-9}`},
	{"umlauts in links", byInside, false, `
		+/ > /straße/{1-9} /caf%c3%a9
		+/stra%C3%9Fe/{1-9}
		+/caf%C3%A9
		-/caf%c3%a9`},
	{"signs in titles", byInside, false, `
		+/ > /wiki/a;b /wiki/%22Help%22 /wiki/C++ /wiki/a,b /wiki/(x) /wiki/a:b /wiki/a'b
		+/wiki/a;b
		+/wiki/%22Help%22
		+/wiki/C++
		+/wiki/a,b
		+/wiki/(x)
		+/wiki/a:b
		+/wiki/a'b`},
	{"thirteen folders", byInside, false, `
		+/ > /a/b/c/d/e/f/g/h/i/j/k/l/m
		+/a/b/c/d/e/f/g/h/i/j/k/l/m`},

	{"names like files", byOrigin, false, `
		+/ > /tags/node.js /wiki/package.json /tree/f{1-5}.txt /style.css
		+/tags/node.js
		+/wiki/package.json
		+/tree/f{1-5}.txt
		-/style.css Content-Type=text/css`},
	{"endings of servers", byVisits, false, `
		+/ > /a.php /b.aspx /c.jsp /d.htm /e.xhtml /f.do
		+/a.php
		+/b.aspx
		+/c.jsp
		+/d.htm
		+/e.xhtml
		+/f.do`},
	{"chapters that the head leads to", byInside, false, `
		+/ > /book/1
		+/book/1 next:/book/2 contents:/book/contents head:<link_rel=icon_href=/book/4>
		+/book/2 next:/book/3
		+/book/3
		-/book/4
		+/book/contents`},
	{"a list that goes on by its header", byOrigin, false, `
		+/ > /news/1
		+/news/1 Link=</news/2>;_rel=next
		+/news/2 Link=</news/3>;_rel=next
		+/news/3`},
	{"maps, drawings", byInside, false, `
		+/ has:<map><area_href=/north></map><svg><a_xlink:href=/south><rect/></a></svg>
		+/north
		+/south`},
	{"links relative to a base", byInside, false, `
		+/ base:/docs/ > a{1-9}
		+/docs/a{1-9}`},
	{"links with a fragment", byVisits, false, `
		+/ > /a#x /a#y #top /b?#z
		+/a
		+/b`},

	{"everybody has a session", byOrigin, false, `
		+/ Set-Cookie=session=1 > /a{1-20}
		+/a{1-20} Set-Cookie=session=1`},
	{"everybody has a session, of a program elsewhere", byProxy, false, `
		+/ Set-Cookie=session=1 Cache-Control=no-cache Vary=Cookie > /a{1-20} /me
		+/a{1-20} Set-Cookie=session=1
		!/me members`},
	{"everybody has a session, and nothing may be stored", byNginx, true, `
		+/ Set-Cookie=PHPSESSID=1 Cache-Control=no-store > /a{1-20}
		+/a{1-20} Set-Cookie=PHPSESSID=1 Cache-Control=no-store`},
	{"some pages for members", byVisits, false, `
		+/ > /a{1-9} /club/{1-9}
		+/a{1-9}
		!/club/{1-9} members`},
	{"some pages for one", byInside, false, `
		+/ > /a{1-9} /cart-of/{1-3}
		+/a{1-9}
		!/cart-of/{1-3} Cache-Control=private`},
	{"a password for a folder", byProxy, false, `
		+/ > /a{1-9} /staff/
		+/a{1-9}
		!/staff/ 401`},
	{"fields for passwords", byVisits, false, `
		+/ > /a{1-9} /sign-in
		+/a{1-9}
		-/sign-in has:<input_type=password>`},

	{"dead links that are answered with 200", byInside, false, `
		+/ > /a{1-9} /dead/{1-20}
		+/a{1-9}
		-* says:We_are_sorry,_there_is_nothing_here`},
	{"dead links with 200, and pages beside them", byOrigin, false, `
		+/ > /boats/{1-30}
		+/boats/{1-20} says:The_number_~_of_our_boats_is_a_fine_one
		-* says:We_are_sorry,_there_is_nothing_here`},
	{"one page for every address, by a script", byInside, false, `
		+/ > /a /b /c /d
		+/a says:Loading
		-* says:Loading`},
	{"an application that is rendered for links alone", byProxy, false, `
		+/ > /p/{1-20}
		+/p/{1-20}
		-* says:Loading`},
	{"a 404 that leads home", byInside, false, `
		+/ > /a{1-9} /gone/{1-5}
		+/a{1-9}
		-* 302:/`},

	{"lists of tags that are noindex", byVisits, false, `
		+/ > /tag/{1-3}
		-/tag/{1-3} noindex > /post/~{1-5}
		+/post/1{1-5}
		+/post/2{1-5}
		+/post/3{1-5}`},
	{"a hub that names another one", byInside, false, `
		+/ > /hub
		-/hub canonical:/ > /a{1-9}
		+/a{1-9}`},
	{"links that are not followed", byInside, false, `
		+/ > /a /list
		+/a
		+/list nofollow > /x{1-5}
		-/x{1-5}`},
	{"what acts", byProxy, false, `
		+/ > /a{1-5} /logout /items/{1-5}/delete /cart/add?id=3 /?add-to-cart=4
		+/a{1-5}
		-/logout
		-/items/{1-5}/delete
		-/cart/add?id=3
		-/?add-to-cart=4`},
	{"robots.txt", byOrigin, false, `
		-/robots.txt Content-Type=text/plain body:User-agent:_*|Disallow:_/x
		+/ > /a{1-5} /x{1-5}
		-/x{1-5}
		+/a{1-5}`},

	{"its own sitemap has what nothing links to", byOrigin, false, `
		+/ > /a
		+/a
		+/landing/{1-5}
		-/sitemap.xml 301:/pages.txt
		-/pages.txt Content-Type=text/plain body:$O/landing/1|$O/landing/2|$O/landing/3|$O/landing/4|$O/landing/5`},
	{"links that name the host", byProxy, false, `
		+/ > $O/a{1-9}
		+/a{1-9}`},
	{"a wiki whose root leads to a query", byProxy, true, `
		-/ 301:/index.php?title=Main_Page
		+/index.php?title=Main_Page > /index.php?title=T{1-9}
		-/index.php
		+/index.php?title=T{1-9}`},
	{"an old copy on another host", byProxy, false, `
		+/ canonical:/ > /a{1-5} https://cdn.elsewhere.test/a{1-5} /files/{1-5}
		+/a{1-5} canonical:/a~
		-/files/{1-5} 302:https://cdn.elsewhere.test/files/~`},
	{"links that name the host, and https", byInside, false, `
		+/ > https://example.com/a{1-9} //example.com/b{1-9}
		+/a{1-9}
		+/b{1-9}`},
	{"pages that are checked each time", byVisits, false, `
		+/ Cache-Control=no-cache ETag="1" > /a{1-9}
		+/a{1-9} Cache-Control=max-age=0,_must-revalidate Vary=Accept-Encoding,_Cookie`},
	{"XHTML", byInside, false, `
		+/ Content-Type=application/xhtml+xml > /a{1-9}
		+/a{1-9}`},

	{"a blog and a calendar", byInside, false, `
		+/ > /2026/{1-9}/a-title
		+/2026/{1-9}/a-title > /2026 /2026/~
		+/2026
		+/2026/{1-9}`},
	{"a shop", byOrigin, false, `
		+/ > /c/{1-6}
		+/c/{1-6} > /c/~/page/2 /p/~{1-5}
		+/c/{1-6}/page/2 > /p/~{6-9}
		+/p/1{1-9}
		+/p/2{1-9}
		+/p/3{1-9}
		+/p/4{1-9}
		+/p/5{1-9}
		+/p/6{1-9}`},
	{"a manual of several versions", byProxy, false, `
		+/ > /docs/1.{1-8}/
		+/docs/1.{1-8}/ > /docs/1.~/t{1-20}
		+/docs/1.1/t{1-20}
		+/docs/1.2/t{1-20}
		+/docs/1.3/t{1-20}
		+/docs/1.4/t{1-20}
		+/docs/1.5/t{1-20}
		+/docs/1.6/t{1-20}
		+/docs/1.7/t{1-20}
		+/docs/1.8/t{1-20}`},
	{"a newspaper by dates", byVisits, false, `
		+/ > /2026/05/{1-20}/
		+/2026/05/{1-20}/ > /2026/05/~/a-title
		+/2026/05/{1-20}/a-title`},
	{"a chain of pages", byInside, false, `
		+/ > /step/1
		+/step/{1-1} > /step/2
		+/step/2 > /step/3
		+/step/3 > /step/4
		+/step/4`},
	{"names that look like secrets among others", byInside, false, `
		+/ > /a{1-9} /d/k3J9xQ2vT7
		+/a{1-9}
		-/d/k3J9xQ2vT7`},
}
