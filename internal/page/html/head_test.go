package html

import (
	"strings"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/testkit/base"
)

func TestTitleBaseAndLanguageAreTheFirstOnes(t *testing.T) {
	type named struct{ title, base, lang string }
	checkRows(t, []row[named]{
		{"title that is collapsed and decoded", "<title>\n  Fish &amp;\u00a0 chips\t</title>", named{title: "Fish & chips"}},
		{"first title", "<title>One</title><title>Two</title>", named{title: "One"}},
		{"title after a stray element", "<head><div></div><title>Late</title>", named{title: "Late"}},
		{"none", "<p>x", named{}},
		{"title that is long", "<title>" + strings.Repeat("ab ", 200) + "</title>",
			named{title: strings.TrimSpace(strings.Repeat("ab ", 100))}},
		{"title cut between characters", "<title>" + strings.Repeat("ä", 149) + "xä</title>",
			named{title: strings.Repeat("ä", 149) + "x"}},
		{"title with invalid bytes", "<meta charset=utf-8><title>a\xffb</title>", named{title: "ab"}},
		{"first base", `<base href="https://example.com/x/"><base href=/y/>`, named{base: "https://example.com/x/"}},
		{"base in a template", `<template><base href=/y/></template>`, named{}},
		{"language", `<html lang="en-GB"><p>text`, named{lang: "en-GB"}},
		{"language of a second element", `<html lang=""><html lang="fr"><p>te`, named{lang: "fr"}},
	}, func(f Facts) named { return named{f.Title, f.Base, f.Language} })
}

func TestCanonicalIsReadFromTheHead(t *testing.T) {
	type canonical struct {
		href     string
		conflict bool
	}
	checkRows(t, []row[canonical]{
		{"relative is kept", `<link rel=canonical href="../a?b=1#c">`, canonical{"../a?b=1#c", false}},
		{"space and line ends", "<link rel=canonical href=' /a\n/b '>", canonical{"/a/b", false}},
		{"different", `<link rel=canonical href=/a><link rel=canonical href=/b>`, canonical{"/a", true}},
		{"with hreflang", `<link rel=canonical hreflang=de href=/a>`, canonical{"", false}},
		{"file scheme", `<link rel=canonical href="file:///home/me/a.html">`, canonical{"", false}},
		{"in the body", `<body><link rel=canonical href=/a>`, canonical{"", false}},
		{"between head and body", `<head></head> <link rel=canonical href=/a><body>`, canonical{"/a", false}},
		{"after the head and noscript", `<head></head><noscript></noscript><link rel=canonical href=/a>`,
			canonical{"", false}},
		{"after noscript with an image", `<head><noscript><img src=x></noscript><link rel=canonical href=/a>`,
			canonical{"/a", false}},
		{"in a template", `<head><template><link rel=canonical href=/a></template>`, canonical{"", false}},
		{"too long", `<link rel=canonical href=/` + strings.Repeat("a", maxHref) + `>`, canonical{"", false}},
	}, func(f Facts) canonical { return canonical{f.Canonical, f.CanonicalConflict} })
}

func TestRobotsMetaIsReadHoweverItIsWritten(t *testing.T) {
	checkRows(t, []row[Rules]{
		{"plain", `<meta name="robots" content="noindex">`, Rules{NoIndex: true}},
		{"none", `<meta name=robots content=none>`, Rules{NoIndex: true, NoFollow: true}},
		{"index, follow", `<meta name=robots content="index, follow">`, Rules{}},
		{"previews", `<meta name=robots content="max-snippet:-1, max-image-preview:none, noarchive">`, Rules{}},
		{"later permission does not lift", `<meta name=robots content=noindex><meta name=robots content=index>`,
			Rules{NoIndex: true}},
		{"quotes around the name", `<meta name='“robots”' content=noindex>`, Rules{NoIndex: true}},
		{"in another attribute", `<meta property=robots content=noindex>`, Rules{NoIndex: true}},
		{"a header in the page", `<meta http-equiv=X-Robots-Tag content="noindex，nofollow">`,
			Rules{NoIndex: true, NoFollow: true}},
		{"deep in the body", `<body>` + strings.Repeat("<p>x</p>", 10_000) + `<meta name=robots content=noindex>`,
			Rules{NoIndex: true}},
		{"another name", `<meta name=description content=noindex>`, Rules{}},
		{"for a search engine's robot", `<meta name=BingBot content=noindex>`, Rules{NoIndex: true}},
		{"for a search engine that few know", `<meta name=petalbot content=noindex>`, Rules{NoIndex: true}},
		{"for one without bot in its name", `<meta name=slurp content=noindex>`, Rules{NoIndex: true}},
		{"for a crawler that nobody knows", `<meta name=otherbot content=noindex>`, Rules{NoIndex: true}},
		{"for a crawler of no search engine", `<meta name=gptbot content=noindex>`, Rules{}},
		{"for the robot of pictures or news", `<meta name=googlebot-news content=noindex>`, Rules{}},
		{"for one of both kinds", `<meta name="gptbot, googlebot" content=noindex>`, Rules{NoIndex: true}},
		{"in a template", `<template><p><meta name=robots content=noindex></template>`, Rules{}},
		{"after a template", `<template></template><meta name=robots content=noindex>`, Rules{NoIndex: true}},
		{"the first of two attributes counts", `<meta name=robots content=noindex content=index>`, Rules{NoIndex: true}},
		{"unavailable_after", `<meta name=googlebot content="unavailable_after: 25 Jun 2010 15:00:00 GMT">`,
			Rules{UnavailableAfter: time.Date(2010, 6, 25, 15, 0, 0, 0, time.UTC)}},
	}, func(f Facts) Rules { return f.Rules })
}

func TestHeadIsSeenOnceItHasEnded(t *testing.T) {
	filler := `<meta name=keywords content="` + strings.Repeat("x", 64<<10) + `">`
	rows := []row[bool]{
		{"end tag, after which more of it may come", "<head><title>x</title></head>", false},
		{"end tag and body", "<head><title>x</title></head> <body>", true},
		{"ends in its head, as where a template fails", "<head><title>x</title>", false},
		{"cut in a tag", "<head><meta name=robots content=noin", false},
		{"cut in a script", "<head><script>if (a </head>", false},
		{"cut in a long head", "<head>" + filler, false},
		{"long head that ends", "<head>" + filler + "</head><p>", true},
		{"noscript with content", "<head><noscript><p>x</p></noscript>", false},
	}
	checkRows(t, rows, func(f Facts) bool { return f.HeadSeen })
	checkHeadRows(t, rows, func(f Facts) bool { return f.HeadSeen })
}

func TestAlternatesAreReadFromTheHead(t *testing.T) {
	html := `<head><link rel=alternate hreflang=de href=/de><LINK REL="Alternate" HREFLANG=" x-default " HREF="https://example.com/?a&amp;b">
		<link rel=alternate type=application/rss+xml href=/feed><link rel=alternate hreflang=fr><link rel=alternate hreflang=xx href=mailto:a@b.c>
		</head><body><link rel=alternate hreflang=it href=/it>`
	want := []Alternate{{"de", "/de"}, {"x-default", "https://example.com/?a&b"}}
	base.EqualLists(t, Read([]byte(html), Options{}).Alternates, want, "alternates")
	many := strings.Repeat("<link rel=alternate hreflang=de href=/de>", maxAlternates+10)
	base.Equal(t, len(Read([]byte(many), Options{}).Alternates), maxAlternates, "alternates")
}

func TestPageLeadsOnByARefresh(t *testing.T) {
	meta := func(content string) string { return `<meta http-equiv="Refresh" content="` + content + `">` }
	rows := []row[Refresh]{
		{"at once", meta("0; url=/a"), Refresh{"/a", true, false}},
		{"in five seconds", meta("5;url=a.html"), Refresh{"a.html", false, false}},
		{"in six seconds", meta("6;url=/a"), Refresh{}},
		{"part of a second", meta("0.5; url=/a"), Refresh{"/a", true, false}},
		{"without the word", meta("0;/a"), Refresh{"/a", true, false}},
		{"a comma", meta(" 0 , URL = /a "), Refresh{"/a", true, false}},
		{"a space alone", meta("1 url=/a"), Refresh{"/a", false, false}},
		{"quotes", meta("0; url='/a'; and more"), Refresh{"/a", true, false}},
		{"a quote without end", meta("0; url='/a"), Refresh{"/a", true, false}},
		{"a fragment and a query", meta("0; url=/a?b=1&amp;c=2#d"), Refresh{"/a?b=1&c=2#d", true, false}},
		{"the first one", meta("0; url=/a") + meta("0; url=/b"), Refresh{"/a", true, false}},
		{"in the body", "<p>x</p>" + meta("0; url=/a"), Refresh{"/a", true, false}},
		{"the same page anew", meta("3"), Refresh{}},
		{"no time", meta("url=/a"), Refresh{}},
		{"no target", meta("0; url="), Refresh{}},
		{"a script", meta("0; url=javascript:x()"), Refresh{}},
		{"for visitors without scripts", "<noscript>" + meta("0; url=/a") + "</noscript>", Refresh{}},
		{"in a template", "<template>" + meta("0; url=/a") + "</template>", Refresh{}},
		{"too long", meta("0; url=/" + strings.Repeat("a", maxHref)), Refresh{}},
		{"another name", `<meta name="refresh" content="0; url=/a">`, Refresh{}},
	}
	checkRows(t, rows, func(f Facts) Refresh { return f.Refresh })
	checkHeadRows(t, rows[:len(rows)-1], func(f Facts) Refresh { return f.Refresh })
}

func TestHeadLeadsToOtherPages(t *testing.T) {
	type led struct{ links, alternates string }
	names := func(f Facts) (l led) {
		for _, ln := range f.Links {
			l.links += ln.Href + " "
		}
		for _, a := range f.Alternates {
			l.alternates += a.Lang + "=" + a.Href + " "
		}
		return l
	}
	checkRows(t, []row[led]{
		{"the next and the previous page", `<link rel=next href=/3><link rel="prev nofollow" href=/1>`, led{links: "/3 /1 "}},
		{"contents and index", `<link rel=Contents href=toc.html><link rel=index href=genindex.html><link rel=start href=/><link rel=up href=..>`, led{links: "toc.html genindex.html / .. "}},
		{"what a page is made of", `<link rel=stylesheet href=/a><link rel="shortcut icon" href=/b><link rel=preload href=/c><link rel=search href=/d><link rel=nextpage href=/e>`, led{}},
		{"in the body", `<body><link rel=next href=/3>`, led{}},
		{"another language", `<link rel=alternate hreflang=de href=/de>`, led{alternates: "de=/de "}},
		{"a drawing", `<svg><a xlink:href=/a><path/></a></svg><a xlink:href=/b>x</a>`, led{links: "/a "}},
	}, names)
	for _, tt := range []struct{ name, header, links, alternates string }{
		{"the next page", `</2>; rel="next", </9>; rel=last`, "/2 /9 ", ""},
		{"a title with a comma", `</a>; title="on, and on"; rel=prev`, "/a ", ""},
		{"languages", `</de>; rel="alternate"; hreflang="de", </feed>; rel=alternate`, "", "de=/de "},
		{"others", `</a.css>; rel=preload; as=style, <https://api.example>; rel=preconnect, </c>; rel=canonical, </d>`, "",
			""},
		{"no link", `next; rel=next, <>; rel=next, <mailto:a@b.c>; rel=next`, "", ""},
	} {
		var f Facts
		if f.AddHeader([]string{tt.header}); names(f) != (led{tt.links, tt.alternates}) {
			t.Errorf("%s: %+v", tt.name, names(f))
		}
	}
}

// TestNothingHidesTheRobotsMeta puts things before a page's rules that a bad reader would let
// swallow them.
func TestNothingHidesTheRobotsMeta(t *testing.T) {
	const rule = `<meta name=robots content=noindex>`
	for _, before := range []string{
		`<head><noscript><style>.x{}</noscript>`,
		`<head><noscript><!-- </noscript>`,
		`<head><noscript><p>`,
		`<head><noscript><iframe src=x></noscript>`,
		`<head><noscript><a b='</noscript>`,
		`<head><noscript><template></noscript>`,
		`<head></head><body><svg><title/><path/></svg>`,
		`<head></head><body><svg><style/></svg>`,
		`<head></head><body><math><script/></math>`,
	} {
		if f := Read([]byte(before+rule+"</head><body><p>text"), Options{}); !f.NoIndex {
			t.Errorf("%s hides a noindex", before)
		}
	}
}

func TestDocumentHasAnHTMLOrATitleElement(t *testing.T) {
	rows := []row[bool]{
		{"a whole page", "<!DOCTYPE html><html><head><title>t</title></head><body><p>x</body></html>", true},
		{"title alone", "<!doctype html><title>t</title><p>x", true},
		{"a list", "<ul><li>One<li>Two</ul>", false},
		{"the title of a drawing", "<p>x<svg><title>An icon</title></svg>", false},
		{"a template", "<template><html><title>t</title></html></template><p>x", false},
		{"an end tag", "</html></title><p>x", false},
	}
	checkRows(t, rows, func(f Facts) bool { return f.Document })
	checkHeadRows(t, rows, func(f Facts) bool { return f.Document })
}

func TestRobotsHeaderIsReadForEveryRobot(t *testing.T) {
	at := time.Date(2010, 6, 25, 15, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		name   string
		values []string
		want   Rules
	}{
		{"no header", nil, Rules{}},
		{"in typographic quotes, for a robot", []string{"googlebot: “noindex”, 'nofollow'"},
			Rules{NoIndex: true, NoFollow: true}},
		{"for a crawler of no search engine", []string{"GPTBot: none", "ClaudeBot : noindex, Google-Extended: noindex",
			"googlebot-news: noindex"}, Rules{}},
		{"for a crawler that nobody knows", []string{"otherbot: noindex, nofollow"}, Rules{NoIndex: true, NoFollow: true}},
		{"for a search engine that few know", []string{"PetalBot: noindex"}, Rules{NoIndex: true}},
		{"for one without bot in its name", []string{"Slurp: noindex"}, Rules{NoIndex: true}},
		{"for a robot", []string{"robot: noindex"}, Rules{NoIndex: true}},
		{"for one that only trains, and then for all", []string{"gptbot: nofollow, *: noindex"}, Rules{NoIndex: true}},
		{"for that one, and then for robots", []string{"gptbot: nofollow, robots: noindex"}, Rules{NoIndex: true}},
		{"two headers that a proxy joined", []string{"gptbot: nofollow, noindex"}, Rules{NoIndex: true}},
		{"for one of these, and then for a search engine", []string{"gptbot: nofollow, bingbot: noindex"},
			Rules{NoIndex: true}},
		{"for any crawler", []string{"crawler: noindex", "*: nofollow"}, Rules{NoIndex: true, NoFollow: true}},
		{"harmless", []string{"all, nosnippet, noarchive, notranslate, noimageindex, indexifembedded"}, Rules{}},
		{"values that look like rules", []string{"max-image-preview:none, max-snippet: none, max-video-preview:-1"}, Rules{}},
		{"a name that only ends like that", []string{"x-max-preview: none"}, Rules{NoIndex: true, NoFollow: true}},
		{"rule after such a value", []string{"max-image-preview:large, noindex"}, Rules{NoIndex: true}},
		{"rule on the line after a name without value", []string{"max-snippet:\nnoindex", "max-snippet\t:\r\n nofollow"},
			Rules{NoIndex: true, NoFollow: true}},
		{"semicolons", []string{"noindex; nofollow"}, Rules{NoIndex: true, NoFollow: true}},
		{"a zone with a name, read as UTC", []string{"unavailable_after: 25 Jun 2010 15:00:00 PST"},
			Rules{UnavailableAfter: at}},
		{"for a robot, rule after it", []string{"googlebot: unavailable_after: 25 Jun 2010 15:00:00 PST, noindex"},
			Rules{NoIndex: true, UnavailableAfter: at}},
		{"rule after a date with a comma", []string{"UNAVAILABLE_AFTER: Fri, 25 Jun 2010 15:00:00 GMT, nofollow"},
			Rules{NoFollow: true, UnavailableAfter: at}},
		{"the earliest date", []string{"unavailable_after: 2011-01-01", "unavailable_after: 25 Jun 2010 15:00:00 PST",
			"unavailable_after: 2012-01-01"}, Rules{UnavailableAfter: at}},
		{"no valid date", []string{"unavailable_after: 25-Jun-1999 15:00:00 EST"}, Rules{NoIndex: true}},
		{"odd bytes", []string{":::,,;: \x00 noindex"}, Rules{NoIndex: true}},
	} {
		var got Rules
		if got.NoIndex, got.NoFollow, got.UnavailableAfter = Robots(tt.values); got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
}

func TestTextIsReadInItsCharset(t *testing.T) {
	const utf8Type = "text/html; charset=utf-8"
	tests := []struct{ name, contentType, html, want string }{
		{"declared UTF-8", utf8Type, "<title>caf\u00e9</title>", "café"},
		{"UTF-8 mark before the header", "text/html; charset=iso-8859-1", "\xef\xbb\xbf<title>caf\u00e9</title>", "café"},
		{"undeclared UTF-8 cut in a character", "", "<title>caf\u00e9</title>\xe2\x82", "café"},
		{"windows-1252 by meta", "text/html", "<meta charset=windows-1252><title>caf\xe9</title>", "café"},
		{"undeclared and not UTF-8", "", "<title>caf\xe9</title>", "café"},
		{"GBK by header", "text/html;charset=gbk", "<title>\xd6\xd0\xce\xc4</title>", "中文"},
		{"UTF-16 little endian by mark", utf8Type,
			"\xff\xfe<\x00t\x00i\x00t\x00l\x00e\x00>\x00\xe9\x00<\x00/\x00t\x00i\x00t\x00l\x00e\x00>\x00", "é"},
		{"unknown charset", "text/html; charset=klingon", "<title>caf\u00e9</title>", "café"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			opts := Options{ContentType: tt.contentType}
			base.Equal(t, Read([]byte(tt.html), opts).Title, tt.want, "title")
			if got := Head([]byte(tt.html), opts).Title; got != tt.want {
				t.Errorf("title %q in the head, want %q", got, tt.want)
			}
		})
	}
}

// What is no script that browsers run, or says more, is tested with the answers of package pages of the command.
func TestPageWithoutATextLeadsOnByAScript(t *testing.T) {
	leads := Refresh{"/a", true, true}
	rows := []row[Refresh]{
		{"in the head", "<script>location='/a'</script>", leads},
		{"by a method", "<title>Moved</title><body><script> window.location.replace( \"/a\" ); </script>", leads},
		{"two", "<script>location='/a'</script><script>location='/b'</script>", leads},
		{"the refresh of a meta element", `<meta http-equiv=refresh content="5; url=/b"><script>location='/a'</script>`,
			Refresh{"/b", false, false}},
		{"beside a text", "<script>location='/a'</script><p>A text.", Refresh{}},
		{"a script in a file", "<script src=/x.js>location='/a'</script>", Refresh{}},
		{"for visitors without scripts", "<noscript><script>location='/a'</script></noscript>", Refresh{}},
		{"to a program", "<script>location='javascript:x()'</script>", Refresh{}},
	}
	checkRows(t, rows, func(f Facts) Refresh { return f.Refresh })
	if r := Head([]byte("<script>location='/a'</script><p>A text."), Options{}).Refresh; r != (Refresh{}) {
		t.Errorf("the head leads to %q", r.Href)
	}
}

func TestPasswordFieldIsFoundInThePagesOwnContent(t *testing.T) {
	for body, want := range map[string]bool{
		`<form><input type=password name=p></form>`:                                                      true,
		`<main><div><INPUT TYPE="Password"></div></main>`:                                                true,
		`<input autocomplete="section-a Current-Password">`:                                              true,
		`<input type="text"><input name=password>`:                                                       false,
		`<header><form><input type=password></form></header><p>x`:                                        false, // a log-in on every page
		`<div role="dialog"><input type=password></div><p>x`:                                             false,
		`<div popover><input type=password></div><p>x`:                                                   false,
		`<div aria-hidden=true><input type=password></div><p>x`:                                          false,
		`<div style="Display: none"><input type=password></div>x`:                                        false,
		`<div id=top><input type=password></div><main>x</main>`:                                          true,
		`<main><header><input type=password></header>x</main>`:                                           true,
		`<main>x<dialog><input type=password></dialog></main>`:                                           false,
		`<header>Log in<form><input type=password></form></header>`:                                      true, // there is nothing else
		`<aside><input type=password></aside><footer>x</footer>`:                                         true,
		`<template><input type=password></template>`:                                                     false,
		`<form><input type=password><input type=password></form>`:                                        false, // it is chosen, and typed twice
		`<input type=password autocomplete=new-password>`:                                                false,
		`<form><input><input type=email><input name=city><input type=password></form>`:                   false, // it registers
		`<form><input><input><input type=password><input type=checkbox required></form>`:                 false,
		`<form><input type=email><input type=password><input type=checkbox required></form>`:             true,
		`<form><input><input><input type=password><input autocomplete=one-time-code></form>`:             true,
		`<form><input><input><input><input type=password autocomplete=current-password></form>`:          true,
		`<header><input></header><input><input type=password><footer><input></footer>`:                   true,
		`<form><input type=email><input type=password><input type=checkbox></form>`:                      true, // to be remembered
		`<form><input name=company><input type=email><input type=password></form>`:                       true,
		`<form><input><input><input></form><form><input type=email><input type=password></form>`:         true,
		`<script>document.write("<input type=password>")</script>`:                                       false,
		`<form><input type=password></form><form><input type=password autocomplete=new-password></form>`: true,
		`<header><input type=password></header><p>x<input type=password>`:                                true,
	} {
		base.Equal(t, Read([]byte("<title>x</title><body>"+body), Options{}).LogIn.Forms > 0, want, "%s", body)
	}
}

func TestFieldsOfFormsThatSearchAreNamed(t *testing.T) {
	for body, want := range map[string][]string{
		`<form><input name=q><input type=Search name=s></form>`:                             {"q", "s"},
		`<form action=" /search "><input name=q></form>`:                                    {"q/search"},
		`<form method=POST><input name=email></form><form method=get><input name=q></form>`: {"q"},
		`<form method=Dialog><input name=q></form><input name=s>`:                           {"s"},
		`<form action=/a><input name=q></form><input name=s>`:                               {"q/a", "s"},
		`<form><input type=hidden name=lang value=de><input type=text></form>`:              nil,
	} {
		var got []string
		for _, field := range Read([]byte("<title>x</title><body>"+body), Options{}).Searches {
			got = append(got, field.Name+field.Action)
		}
		base.EqualLists(t, got, want, body)
	}
}
