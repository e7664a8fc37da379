// Package live measures how true the dates of a whole site are that lives for 34 days, in virtual time, with the
// middleware around its pages and visitors who come at random: which edits are dated at the visit that first showed
// them, and which changes that are none are dated, too.
//
//	go test ./internal/eval/live -run Lab -v
//	go test ./internal/eval/live -run Lab/life/shop/noisy/1 -v
//	go test ./internal/eval/live -run Lab/deploys -v
//
// testdata/kinds.txt has the kinds of edits, noises and deploys, one a line, and testdata/held.txt those that nobody
// looked at while rules were made: only their sums are printed, or with -args -held each kind. With -args -looks=false
// the site does not look at its own pages, and -only has a pattern of the names of kinds.
//
// Each kind of edit or noise has a page of its own, among ten pages that never change. The calm site has nothing else
// that moves; each page of the noisy one has all that is called furniture as well. Edits come between the eighth and
// the 26th day. An edit is exact if its date lies between it and the first visit after it, and missed otherwise. All
// other dates are false, and count for the kind of their page.
//
// A deploy comes to a fresh site of 72 pages after ten days of visits. Counted are the pages that have another date
// four days later.
package live
