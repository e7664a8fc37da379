package page

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestTitle(t *testing.T) {
	tests := []struct{ name, html, want string }{
		{"plain", "<title>About us</title>", "About us"},
		{"collapsed and decoded", "<title>\n  Fish &amp;\u00a0 chips\t</title>", "Fish & chips"},
		{"upper case", "<TITLE>About</TITLE>", "About"},
		{"the first one counts", "<title>One</title><title>Two</title>", "One"},
		{"markup is text", "<title>a <b>c</title>", "a <b>c"},
		{"of a picture", "<body><svg><title>Icon</title></svg>", ""},
		{"after a stray element", "<head><div></div><title>Late</title>", "Late"},
		{"absent", "<p>x", ""},
		{"bounded", "<title>" + strings.Repeat("ab ", 200) + "</title>", strings.TrimSpace(strings.Repeat("ab ", 100))},
		{"bounded between characters", "<title>" + strings.Repeat("ä", 149) + "xä</title>", strings.Repeat("ä", 149) + "x"},
		{"invalid bytes are dropped", "<title>a\xffb</title>", "ab"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Read([]byte(tt.html), Options{ContentType: "text/html; charset=utf-8"}).Title; got != tt.want {
				t.Errorf("title %q, want %q", got, tt.want)
			}
		})
	}
}

func TestCanonical(t *testing.T) {
	tests := []struct {
		name, html, want string
		conflict         bool
	}{
		{"double quotes", `<head><link rel="canonical" href="https://example.com/a">`, "https://example.com/a", false},
		{"no quotes", `<link rel=canonical href=https://example.com/b>`, "https://example.com/b", false},
		{"single quotes, upper case, other order", `<LINK HREF='/a' REL='Canonical'/>`, "/a", false},
		{"one rel of several", `<link rel="bookmark canonical" href="/a">`, "/a", false},
		{"relative is kept", `<link rel=canonical href="../a?b=1#c">`, "../a?b=1#c", false},
		{"entities are decoded", `<link rel=canonical href="/a?x=1&amp;y=2">`, "/a?x=1&y=2", false},
		{"ambiguous entity in a query", `<link rel=canonical href="/a?x=1&copy=2">`, "/a?x=1&copy=2", false},
		{"space and line ends", "<link rel=canonical href=' /a\n/b '>", "/a/b", false},
		{"same twice", `<link rel=canonical href=/a><link rel=canonical href=/a>`, "/a", false},
		{"different", `<link rel=canonical href=/a><link rel=canonical href=/b>`, "/a", true},
		{"with hreflang", `<link rel=canonical hreflang=de href=/a>`, "", false},
		{"with lang", `<link rel=canonical lang=de href=/a>`, "", false},
		{"with media", `<link rel=canonical media=print href=/a>`, "", false},
		{"with type", `<link rel=canonical type=text/html href=/a>`, "", false},
		{"with empty media", `<link rel=canonical media href=/a>`, "", false},
		{"file scheme", `<link rel=canonical href="file:///home/me/a.html">`, "", false},
		{"javascript scheme", `<link rel=canonical href="JavaScript:void(0)">`, "", false},
		{"file scheme beside a good one", `<link rel=canonical href="file:///a"><link rel=canonical href=/a>`, "/a", false},
		{"empty", `<link rel=canonical href="">`, "", false},
		{"without href", `<link rel=canonical>`, "", false},
		{"in the body", `<body><link rel=canonical href=/a>`, "", false},
		{"after an element of the body", `<head><img src=x><link rel=canonical href=/a></head>`, "", false},
		{"after text", `<head>text<link rel=canonical href=/a></head>`, "", false},
		{"between head and body", `<head></head> <link rel=canonical href=/a><body>`, "/a", false},
		{"between head and body, after a script", `<head></head><script>1</script><link rel=canonical href=/a><body>`, "/a", false},
		{"twice, once between head and body", `<head><link rel=canonical href=/a></head><link rel=canonical href=/b><body>`, "/a", true},
		{"after the head, in the body", `<head></head><body><link rel=canonical href=/a>`, "", false},
		{"after the head and text", `<head></head>text<link rel=canonical href=/a>`, "", false},
		{"after the head and noscript", `<head></head><noscript></noscript><link rel=canonical href=/a>`, "", false},
		{"after the page", `<head></head></html><link rel=canonical href=/a>`, "", false},
		{"after noscript with an image", `<head><noscript><img src=x></noscript><link rel=canonical href=/a>`, "/a", false},
		{"in noscript", `<head><noscript><link rel=canonical href=/a></noscript>`, "", false},
		{"in a template", `<head><template><link rel=canonical href=/a></template>`, "", false},
		{"in a comment", `<head><!-- <link rel=canonical href=/a> -->`, "", false},
		{"in a script", `<head><script>"<link rel=canonical href=/a>"</script>`, "", false},
		{"after script, style and title", `<title>x</title><script>1<2</script><style>a>b{}</style><link rel=canonical href=/a>`, "/a", false},
		{"not canonical", `<link rel=stylesheet href=/a.css>`, "", false},
		{"too long", `<link rel=canonical href=/` + strings.Repeat("a", maxHref) + `>`, "", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := Read([]byte(tt.html), Options{})
			if f.Canonical != tt.want || f.CanonicalConflict != tt.conflict {
				t.Errorf("canonical %q, conflict %v, want %q, %v", f.Canonical, f.CanonicalConflict, tt.want, tt.conflict)
			}
		})
	}
}

func TestMetaRobots(t *testing.T) {
	at := time.Date(2010, 6, 25, 23, 0, 0, 0, time.UTC)
	tests := []struct {
		name, html         string
		noIndex, noFollow  bool
		unavailableAfterAt time.Time
	}{
		{"plain", `<meta name="robots" content="noindex">`, true, false, time.Time{}},
		{"upper case, single quotes, other order", `<META CONTENT='NoIndex,follow' NAME=Robots>`, true, false, time.Time{}},
		{"self-closing", `<meta name=robots content=noindex />`, true, false, time.Time{}},
		{"none", `<meta name=robots content=none>`, true, true, time.Time{}},
		{"nofollow alone", `<meta name=robots content="index, nofollow">`, false, true, time.Time{}},
		{"all", `<meta name=robots content=all>`, false, false, time.Time{}},
		{"index, follow", `<meta name=robots content="index, follow">`, false, false, time.Time{}},
		{"previews", `<meta name=robots content="max-snippet:-1, max-image-preview:none, noarchive">`, false, false, time.Time{}},
		{"for one robot", `<meta name=googlebot content=noindex>`, true, false, time.Time{}},
		{"for another", `<meta name=bingbot content=noindex>`, true, false, time.Time{}},
		{"for news", `<meta name=Googlebot-News content=noindex>`, true, false, time.Time{}},
		{"for yandex", `<meta name=yandex content=none>`, true, true, time.Time{}},
		{"general and special combine", `<meta name=robots content=nofollow><meta name=googlebot content=noindex>`, true, true, time.Time{}},
		{"later permission does not lift", `<meta name=robots content=noindex><meta name=robots content=index>`, true, false, time.Time{}},
		{"spaces for commas", `<meta name=robots content="noindex nofollow">`, true, true, time.Time{}},
		{"in the body", `<body><p>x<meta name=robots content=noindex>`, true, false, time.Time{}},
		{"deep in the body", `<body>` + strings.Repeat("<p>x</p>", 10_000) + `<meta name=robots content=noindex>`, true, false, time.Time{}},
		{"in noscript", `<noscript><meta name=robots content=noindex></noscript>`, true, false, time.Time{}},
		{"entities", `<meta name=robots content="no&#105;ndex">`, true, false, time.Time{}},
		{"in a comment", `<!-- <meta name=robots content=noindex> -->`, false, false, time.Time{}},
		{"in a script", `<script>'<meta name=robots content=noindex>'</script>`, false, false, time.Time{}},
		{"another name", `<meta name=description content=noindex>`, false, false, time.Time{}},
		{"part of a word", `<meta name=robots content=noindexing>`, false, false, time.Time{}},
		{"without content", `<meta name=robots>`, false, false, time.Time{}},
		{"the first of two attributes counts", `<meta name=robots content=noindex content=index>`, true, false, time.Time{}},
		{"unavailable_after", `<meta name=googlebot content="unavailable_after: 25 Jun 2010 15:00:00 PST">`, false, false, at},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := Read([]byte(tt.html), Options{})
			if f.NoIndex != tt.noIndex || f.NoFollow != tt.noFollow || !f.UnavailableAfter.Equal(tt.unavailableAfterAt) {
				t.Errorf("noindex %v, nofollow %v, unavailable after %v; want %v, %v, %v", f.NoIndex, f.NoFollow,
					f.UnavailableAfter, tt.noIndex, tt.noFollow, tt.unavailableAfterAt)
			}
		})
	}
}

func TestHeadSeen(t *testing.T) {
	filler := `<meta name=keywords content="` + strings.Repeat("x", 64<<10) + `">`
	tests := []struct {
		name, html string
		truncated  bool
		want       bool
	}{
		{"end tag, after which more of it may come", "<head><title>x</title></head>", true, false},
		{"end tag and body", "<head><title>x</title></head> <body>", true, true},
		{"end tag and end of the page", "<head><title>x</title></head></html>", false, true},
		{"body", "<title>x</title><body>", true, true},
		{"content of the body", "<title>x</title><p>", true, true},
		{"text", "<title>x</title>text", true, true},
		{"ends in its head, as where a template fails", "<head><title>x</title>", false, false},
		{"empty", "", false, false},
		{"cut in the head", "<head><title>x</title>", true, false},
		{"cut before the head", "", true, false},
		{"cut in a tag", "<head><meta name=robots content=noin", true, false},
		{"cut in a script", "<head><script>if (a </head>", true, false},
		{"cut in a comment", "<head><!-- </head><body>", true, false},
		{"cut in a long head", "<head>" + filler, true, false},
		{"long head that ends", "<head>" + filler + "</head><p>", true, true},
		{"space is no content", "<head>\n \t", true, false},
		{"noscript with content", "<head><noscript><p>x</p></noscript>", true, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			opts := Options{Truncated: tt.truncated}
			for name, f := range map[string]Facts{"Read": Read([]byte(tt.html), opts), "Head": Head([]byte(tt.html), opts)} {
				if f.HeadSeen != tt.want || f.Truncated != tt.truncated {
					t.Errorf("%s: head seen %v, truncated %v, want %v, %v", name, f.HeadSeen, f.Truncated, tt.want, tt.truncated)
				}
			}
		})
	}
}

func TestRefresh(t *testing.T) {
	tests := []struct{ name, html, want string }{
		{"url", `<meta http-equiv="refresh" content="0; url=/new">`, "/new"},
		{"upper case", `<META HTTP-EQUIV=Refresh CONTENT="5;URL=https://example.com/new">`, "https://example.com/new"},
		{"quoted", `<meta http-equiv=refresh content="0; url='/new' more">`, "/new"},
		{"comma", `<meta http-equiv=refresh content="0,url=/new">`, "/new"},
		{"without url=", `<meta http-equiv=refresh content="0; /new">`, "/new"},
		{"fraction", `<meta http-equiv=refresh content="0.5; url = /new">`, "/new"},
		{"reload", `<meta http-equiv=refresh content="300">`, ""},
		{"no delay", `<meta http-equiv=refresh content="url=/new">`, ""},
		{"for visitors without scripts", `<noscript><meta http-equiv=refresh content="0; url=/noscript"></noscript>`, ""},
		{"absent", `<meta http-equiv=content-type content="0; url=/x">`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Read([]byte(tt.html), Options{}).Refresh; got != tt.want {
				t.Errorf("refresh %q, want %q", got, tt.want)
			}
		})
	}
}

func TestBase(t *testing.T) {
	tests := []struct{ name, html, want string }{
		{"first", `<base href="https://example.com/x/"><base href=/y/>`, "https://example.com/x/"},
		{"without href", `<base target=_blank><base href=/y/>`, "/y/"},
		{"in a template", `<template><base href=/y/></template>`, ""},
		{"absent", `<p>`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Read([]byte(tt.html), Options{}).Base; got != tt.want {
				t.Errorf("base %q, want %q", got, tt.want)
			}
		})
	}
}

func TestAlternates(t *testing.T) {
	html := `<head><link rel=alternate hreflang=de href=/de><LINK REL="Alternate" HREFLANG=" x-default " HREF="https://example.com/?a&amp;b">
		<link rel=alternate type=application/rss+xml href=/feed><link rel=alternate hreflang=fr><link rel=alternate hreflang=xx href=mailto:a@b.c>
		</head><body><link rel=alternate hreflang=it href=/it>`
	want := []Alternate{{"de", "/de"}, {"x-default", "https://example.com/?a&b"}}
	if got := Read([]byte(html), Options{}).Alternates; !slices.Equal(got, want) {
		t.Errorf("alternates %v, want %v", got, want)
	}
	many := strings.Repeat("<link rel=alternate hreflang=de href=/de>", maxAlternates+10)
	if got := len(Read([]byte(many), Options{}).Alternates); got != maxAlternates {
		t.Errorf("%d alternates, want %d", got, maxAlternates)
	}
}

func TestPassword(t *testing.T) {
	tests := []struct {
		name, html string
		want       bool
	}{
		{"plain", `<form><input type="password" name=p></form>`, true},
		{"upper case", `<INPUT TYPE=PASSWORD>`, true},
		{"other type", `<input type=text name=password>`, false},
		{"absent", `<p>password</p>`, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Read([]byte(tt.html), Options{}).Password; got != tt.want {
				t.Errorf("password field %v, want %v", got, tt.want)
			}
		})
	}
}

// TestNothingHidesTheRobotsMeta has what may stand before the rules of a page
// and, badly read, swallow them.
func TestNothingHidesTheRobotsMeta(t *testing.T) {
	const rule = `<meta name=robots content=noindex>`
	for _, before := range []string{
		`<head><noscript><style>.x{}</noscript>`,
		`<head><noscript><!-- </noscript>`,
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
