// Package marks measures how well servemap tells changes of a page's content from everything else that makes two
// responses differ. It replays histories of real pages through the indexer, in virtual time, as if each fetch were a
// visit. It compares the dates that the sitemap would publish with the truth.
//
//	go test ./internal/eval/marks -run Histories -v -timeout 2h -args FILE.jsonl.zst ...
//
// With -args -visits 1h,24h,72h FILE, a visit that gets the same bytes is added so long after each fetch, as between
// the builds of a built site.
//
// A file holds the fetches of pages, one JSON object a line, in plain text or
// compressed with gzip or zstd; a site's lines stand together, the oldest first:
//
//	{"site": "...", "page": "...", "unix": 1762857928, "truth": "...", "html": "..."}
//
// The truth says whether the content became another one than before: "change" or
// "same"; "first" at a page's first fetch, which only teaches; "unclear" where
// nobody knows, which is not scored, and a change dated there is taken for one.
//
// A detector may take its time. A change counts by the fetch that it is dated to,
// the date that the sitemap would show if it lists the page: one between two
// fetches stands for the later one, and one before the first for none. Just before
// a page's next fetch, and at the end, the date then published is compared with
// the true last change: the share of those that agree is "lastmod".
//
// The mark alone is what finds the changes, without the dates that pages give. -args -seed N gives it other hashes.
package marks
