// Package laws measures what strangers, fronts and accidents can do to a sitemap, by attacks on the public interface.
// So it runs alike on any version, and shows what a change of the rules opens or mends. testdata/cases.txt has the
// cases.
//
//	go test ./internal/eval/laws -run Laws -v
//	go test ./internal/eval/laws -run Laws/removal -v
//
// As a rule a site has a home page and 40 more, which visitors got during two days. Then a case begins: what it is
// about is asked for in its first seconds, a minute later, and after an hour, a day and 26 hours. Between, visitors
// get all pages. Time is virtual. Fronts alone stand before a real server, so that the site can explore its origin,
// for two seconds if they make it wait, or with -args -patience 3m for longer.
//
// A line has the class, the name, the counts before and at these four times, what the rules want of them, and the
// verdict. Counted are the pages that are listed; for dates those with another date than before, or lost; for listing
// the addresses that are no pages, or are secrets; for fronts the pages that are kept to staff.
package laws
