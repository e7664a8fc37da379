package leak_test

import (
	"io"
	"net/http"
	"strings"
)

// fragmentRows are what scripts and frames fetch, and pages for the site's internal use. Each has
// its own route, and answers anybody.
func fragmentRows() (rows []*row) {
	for i, h := range []http.Header{
		header("Sec-Fetch-Dest", "empty"), header("Sec-Fetch-Dest", "iframe"), header("Sec-Fetch-Dest", "object"), header("Hx-Request", "true"),
		header("X-Requested-With", "XMLHttpRequest"), header("Turbo-Frame", "comments"), header("X-Pjax", "true"), header("X-Up-Version", "3"),
	} {
		path := "/remarks-" + strings.Repeat("i", i+1) + "/{c}"
		rows = append(rows,
			&row{name: "a route that is fetched, " + path, route: path, headers: h, want: "unknown: none"},
			&row{name: "a link that is fetched, " + path, route: "/all" + strings.ReplaceAll(path, "{c}", "{name}"), path: "/all" + path, linked: true, headers: h,
				want: "waiting: not-seen"})
	}
	rows = append(rows, &row{name: "a route that shows a part of a page", route: "/shards/{c}", want: "waiting: no-evidence",
		answer: func(rw http.ResponseWriter, r *http.Request, html string) {
			_, body, _ := strings.Cut(html, "<body>")
			rw.Header().Set("Content-Type", "text/html; charset=utf-8")
			io.WriteString(rw, strings.TrimSuffix(strings.TrimSpace(body), "</html>"))
		}})
	for _, folder := range []string{"/404", "/error", "/thank-you", "/fragments", "/ajax", "/widgets", "/dashboard", "/back-office", "/staff", "/logs", "/config"} {
		path := folder + "/{c}"
		rows = append(rows, &row{name: "a utility page, " + folder, route: path, want: "held: risky-word"})
	}
	return append(rows,
		&row{name: "an export", route: "/patrons/{c}/export", want: "held: risky-word"},
		&row{name: "a page of the staff that is linked", route: "/ours/{c}/staff", linked: true, want: "listed: route|link"})
}
