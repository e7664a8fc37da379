package report

const (
	fault  = "fault"
	advice = "advice"
)

// kind is a row of the table of all that may be found. The title goes behind a count, or stands alone.
type kind struct {
	name, level, one, many, remedy string
	place                          int // in the table
}

var kinds = func() map[string]kind {
	byName := map[string]kind{}
	for i, k := range table {
		k.place = i
		byName[k.name] = k
	}
	return byName
}()

// table has the kinds in the order in which reports have them: the way to the sitemap, its files, their entries, pages.
var table = []kind{
	{name: "unreadable", level: fault, one: "file cannot be read", many: "files cannot be read", remedy: "Have the server answer 200 with the file, or name it no longer."},
	{name: "wall-file", level: fault, one: "file is kept from the checker by a bot wall", many: "files are kept from the checker by a bot wall",
		remedy: "Allow the User-Agent servemap-check, or this machine's address, in the wall's rules; or check behind it, with -origin. See that it lets search engines through."},
	{name: "robots-error", level: fault, one: "robots.txt is answered with an error", many: "robots.txt files are answered with an error", remedy: "Answer with the file, or with 404 if there is none."},
	{name: "robots-line", level: fault, one: "Sitemap line in robots.txt is wrong", many: "Sitemap lines in robots.txt are wrong", remedy: "Write the whole URL, such as Sitemap: https://example.com/sitemap.xml"},
	{name: "robots-blocks-file", level: fault, one: "file of the sitemap is disallowed by robots.txt", many: "files of the sitemap are disallowed by robots.txt", remedy: "Allow it: crawlers do not fetch what robots.txt disallows, a sitemap neither."},
	{name: "html", level: fault, one: "file is a page of HTML, and no sitemap", many: "files are pages of HTML, and no sitemaps", remedy: "Serve the sitemap there, or answer 404. Applications of one page often answer every address with their start page."},
	{name: "encoding", level: fault, one: "file is not in UTF-8", many: "files are not in UTF-8", remedy: "Write the file in UTF-8, as the protocol wants it."},
	{name: "xml", level: fault, one: "place is not well-formed XML", many: "places are not well-formed XML", remedy: "A parser stops there, and reads none of the file, or none of the rest."},
	{name: "gzip", level: fault, one: "file is named .gz and is no whole gzip file", many: "files are named .gz and are no whole gzip files", remedy: "Pack it, or drop .gz from its name."},
	{name: "root", level: fault, one: "file is no sitemap", many: "files are no sitemaps", remedy: "A sitemap begins with <urlset>, an index with <sitemapindex>; RSS, Atom and a text of URLs are sitemaps too."},
	{name: "namespace", level: fault, one: "namespace is wrong", many: "namespaces are wrong", remedy: "Parsers compare namespaces letter by letter."},
	{name: "content-type", level: fault, one: "file has the wrong Content-Type", many: "files have the wrong Content-Type", remedy: "Serve XML as application/xml, a text as text/plain, and .gz as application/gzip."},
	{name: "size", level: fault, one: "file is too large", many: "files are too large", remedy: "A file may have 50,000 entries and 50 MB (52,428,800 bytes), unpacked. Split it, and name the parts in an index."},
	{name: "empty", level: fault, one: "file lists nothing", many: "files list nothing", remedy: "A sitemap must have an entry. Leave out files that are empty."},
	{name: "nested", level: fault, one: "index stands within an index", many: "indexes stand within an index", remedy: "An index may name sitemaps only."},
	{name: "structure", level: fault, one: "element stands where the protocol has none", many: "elements stand where the protocol has none", remedy: "Parsers skip what they do not know, or stop."},
	{name: "loc-missing", level: fault, one: "entry has no <loc>, or one element twice", many: "entries have no <loc>, or one element twice", remedy: "Each entry has one <loc>, and at most one of each other element."},
	{name: "loc", level: fault, one: "address is no URL that a sitemap may have", many: "addresses are no URLs that a sitemap may have", remedy: "Write whole URLs of at most 2,047 characters, percent-encoded."},
	{name: "escapes", level: fault, one: "address is escaped twice", many: "addresses are escaped twice", remedy: "Escape once: & is &amp; in XML, and a blank is %20."},
	{name: "fragment", level: fault, one: "address has a fragment", many: "addresses have a fragment", remedy: "Search engines drop what stands behind #. List the page once, without it."},
	{name: "host", level: fault, one: "page is on another host than the sitemap", many: "pages are on another host than the sitemap", remedy: "A sitemap is for its own host, unless that host's robots.txt names it. With -origin the sitemap may be read from another server."},
	{name: "scheme", level: fault, one: "page has another scheme than the sitemap", many: "pages have another scheme than the sitemap", remedy: "List pages by the scheme that the site has, mostly https."},
	{name: "folder", level: fault, one: "page is not below the folder of the sitemap", many: "pages are not below the folder of the sitemap", remedy: "Put the sitemap at the root, or name it in robots.txt, which vouches for the whole host."},
	{name: "twice", level: fault, one: "address is listed again", many: "addresses are listed again", remedy: "List each page once."},
	{name: "disallowed", level: fault, one: "listed page is disallowed by robots.txt", many: "listed pages are disallowed by robots.txt", remedy: "Allow it, or do not list it."},
	{name: "lastmod", level: fault, one: "lastmod is no date of the protocol", many: "lastmods are no dates of the protocol", remedy: "Write it as 2026-11-01 or 2026-11-01T08:00:00+01:00."},
	{name: "future", level: fault, one: "lastmod lies in the future", many: "lastmods lie in the future", remedy: "Write when the page's content last changed."},
	{name: "ancient", level: fault, one: "lastmod is older than the web", many: "lastmods are older than the web", remedy: "A date before 1990 is some program's zero. Leave it out."},
	{name: "changefreq", level: fault, one: "changefreq is none of the protocol's words", many: "changefreqs are none of the protocol's words", remedy: "It is always, hourly, daily, weekly, monthly, yearly or never, in lower case. Search engines hardly read it: it may be left out."},
	{name: "priority", level: fault, one: "priority is no number from 0.0 to 1.0", many: "priorities are no numbers from 0.0 to 1.0", remedy: "Google does not read it: it may be left out."},
	{name: "image", level: fault, one: "image is not as Google wants it", many: "images are not as Google wants them", remedy: "See Google's page on image sitemaps."},
	{name: "video", level: fault, one: "video is not as Google wants it", many: "videos are not as Google wants them", remedy: "See Google's page on video sitemaps."},
	{name: "news", level: fault, one: "article is not as Google News wants it", many: "articles are not as Google News wants them", remedy: "See Google's page on news sitemaps."},
	{name: "hreflang", level: fault, one: "link to another language is wrong", many: "links to other languages are wrong", remedy: "Engines ignore such links. A language is ISO 639-1, such as de, with a region of ISO 3166-1, such as de-AT, or x-default."},
	{name: "hreflang-return", level: fault, one: "link to another language is not returned", many: "links to other languages are not returned", remedy: "Each version names all versions, itself included, or engines ignore them."},
	{name: "dates-shared", level: fault, one: "lastmod is shared by nearly all pages", many: "lastmods are shared by nearly all pages", remedy: "Give each page the date of its own last change, or no lastmod."},

	{name: "no-answer", level: fault, one: "page does not answer", many: "pages do not answer", remedy: "A crawler that gets no answer comes more rarely."},
	{name: "error", level: fault, one: "page is answered with an error", many: "pages are answered with an error", remedy: "Mend them, or do not list them."},
	{name: "denied", level: fault, one: "page is refused", many: "pages are refused", remedy: "If it is public, see why strangers are refused; else do not list it."},
	{name: "login", level: fault, one: "page asks visitors to log in", many: "pages ask visitors to log in", remedy: "What needs a log-in cannot be indexed: do not list it."},
	{name: "redirect", level: fault, one: "page redirects", many: "pages redirect", remedy: "List the address where they lead, once."},
	{name: "stub", level: fault, one: "page is a stub that leads on by itself", many: "pages are stubs that lead on by themselves", remedy: "Search engines take a refresh within seconds for a redirect. List the address where it leads."},
	{name: "soft-404", level: fault, one: "page says that it is not there, with status 200", many: "pages say that they are not there, with status 200", remedy: "Answer 404 or 410 where there is no page, and do not list it."},
	{name: "noindex", level: fault, one: "page says noindex", many: "pages say noindex", remedy: "Remove the noindex, or do not list it: the two contradict each other."},
	{name: "canonical", level: fault, one: "page names another page as canonical", many: "pages name another page as canonical", remedy: "List the canonical address."},
	{name: "date-old", level: fault, one: "page changed after its lastmod, as it says itself", many: "pages changed after their lastmod, as they say themselves", remedy: "Crawlers that trust the lastmod do not come for the change."},
	{name: "seen-moved", level: fault, one: "lastmod moved while the page did not change, as servemap saw", many: "lastmods moved while the pages did not change, as servemap saw", remedy: "Your dates moved, the pages did not: engines stop to believe such dates."},
	{name: "seen-changed", level: fault, one: "page changed after its lastmod, as servemap saw", many: "pages changed after their lastmod, as servemap saw", remedy: "The page changed, the date did not: crawlers do not come for the change."},

	{name: "dates-half", level: advice, one: "lastmod is shared by many pages", many: "lastmods are shared by many pages", remedy: "Give each page the date of its own last change, or no lastmod."},
	{name: "hreflang-unlisted", level: advice, one: "page in another language is not listed", many: "pages in other languages are not listed", remedy: "List all versions, each with links to all."},
	{name: "unnamed", level: advice, one: "sitemap is not named by robots.txt", many: "sitemaps are not named by robots.txt", remedy: "Crawlers find it by a Sitemap line in robots.txt, or where you submit it."},
	{name: "robots-host", level: advice, one: "Sitemap line in robots.txt names another host", many: "Sitemap lines in robots.txt name another host", remedy: "That is allowed, if the file lists pages of this host. See that it is meant."},
	{name: "moved", level: advice, one: "file of the sitemap redirects", many: "files of the sitemap redirect", remedy: "Crawlers follow. Name the address where it is."},
	{name: "type-advice", level: advice, one: "file has an unusual Content-Type", many: "files have an unusual Content-Type", remedy: "Serve XML as application/xml, a text as text/plain, and .gz as application/gzip."},
	{name: "old-news", level: advice, one: "article is older than two days", many: "articles are older than two days", remedy: "Google News reads articles of the last two days only; take the others out of the news sitemap."},
	{name: "tracking", level: advice, one: "address has a tracking parameter or a session", many: "addresses have a tracking parameter or a session", remedy: "List pages without them: each is another address to a search engine."},
	{name: "wall", level: advice, one: "page is kept from the checker by a bot wall", many: "pages are kept from the checker by a bot wall",
		remedy: "They could not be checked. Allow the User-Agent servemap-check, or this machine's address, in the wall's rules; or check behind it, with -origin. See that it lets search engines through."},
	{name: "busy", level: advice, one: "page was refused for the number of requests (429)", many: "pages were refused for the number of requests (429)", remedy: "They could not be checked. Give fewer -pages, or try again later."},
	{name: "scripts", level: advice, one: "page says nothing without scripts", many: "pages say nothing without scripts", remedy: "Most AI crawlers run no scripts, and search engines run them later. Render the text on the server."},
	{name: "same", level: advice, one: "page shows the same text as others", many: "pages show the same text as others", remedy: "If that is an error or a start page, answer 404; if they are copies, list one."},
	{name: "date-early", level: advice, one: "lastmod is later than the date that the page gives", many: "lastmods are later than the dates that the pages give", remedy: "Dates that contradict the page are not believed. Take both from one source."},
	{name: "date-header", level: advice, one: "lastmod contradicts Last-Modified", many: "lastmods contradict Last-Modified", remedy: "Where both are true, they agree. Correct the one that is not."},
	{name: "missing", level: advice, one: "linked page is missing in the sitemap", many: "linked pages are missing in the sitemap", remedy: "List what visitors should find."},
	{name: "orphan", level: advice, one: "listed page is linked nowhere", many: "listed pages are linked nowhere", remedy: "Link to it: pages that nobody links to are seldom indexed, and seldom found by visitors."},
}
