// Package laws measures what strangers, fronts and accidents can do to a sitemap, by attacks on the public interface.
// So it runs alike on any version, and shows what a change of the rules opens or mends. testdata/cases.txt has the
// cases.
//
//	go test ./internal/eval/laws -run Laws -v
//	go test ./internal/eval/laws -run Laws/removal -v
//
// Most sites have a home page and 40 more. For two days visitors get them all. Then a case begins: its request, the
// attack or the accident, comes in the first seconds, a minute later, and after an hour, a day and 26 hours. Between
// these, visitors get all pages. Time is virtual. Only in the class of fronts there is a real server behind the front,
// since there the site explores its origin. Explore gets two seconds for that, or more with -args -patience 3m.
//
// A line has the class, the name, the counts before and at these four times, what the rules want of them, and the
// verdict. Counted are the pages that are listed; for dates those with another date than before, or lost; for listing
// the addresses that are no pages, or are secrets; for fronts the pages that are kept to staff.
package laws
