package tap

import (
	"net/http"
	"testing"
)

func TestJudge(t *testing.T) {
	type row struct {
		name    string
		get     bool
		status  int
		untyped bool
		header  Header
		want    stage
	}
	for wants, rows := range map[want][]row{
		pages: {
			{"html", true, 200, false, Header{ContentType: "text/html"}, keeping},
			{"html with charset", true, 200, false, Header{ContentType: "Text/HTML ; charset=utf-8"}, keeping},
			{"xhtml", true, 200, false, Header{ContentType: "application/xhtml+xml"}, keeping},
			{"no type", true, 200, false, Header{}, skipping},
			{"not html", true, 200, false, Header{ContentType: "text/htmlx"}, skipping},
			{"two types", true, 200, false, Header{ContentType: "text/html, text/plain"}, skipping},
			{"type from content", true, 200, true, Header{}, sniffing},
			{"type from content, HEAD", false, 200, true, Header{}, sniffing},
			{"type from content of an error", true, 404, true, Header{}, skipping},
			{"html of an error", true, 404, false, Header{ContentType: "text/html"}, skipping},
			{"html of a range", true, 206, false, Header{ContentType: "text/html"}, skipping},
			{"html, HEAD", false, 200, false, Header{ContentType: "text/html"}, skipping},
			{"inline", true, 200, false, Header{ContentType: "text/html", ContentDisposition: "INLINE; filename=a"}, keeping},
			{"attachment", true, 200, false, Header{ContentType: "text/html", ContentDisposition: "attachment"}, skipping},
			{"unknown disposition", true, 200, false, Header{ContentType: "text/html", ContentDisposition: "form-data"}, skipping},
			{"inline and attachment", true, 200, false, Header{ContentType: "text/html", ContentDisposition: "inline, attachment"}, skipping},
			{"identity", true, 200, false, Header{ContentType: "text/html", ContentEncoding: "identity"}, keeping},
			{"gzip", true, 200, false, Header{ContentType: "text/html", ContentEncoding: "gzip"}, keeping},
			{"chunked by hand", true, 200, false, Header{ContentType: "text/html", TransferEncoding: "chunked"}, keeping},
			{"gzip on the way", true, 200, false, Header{ContentType: "text/html", TransferEncoding: "gzip, chunked"}, skipping},
		},
		texts: {
			{"text", true, 200, false, Header{ContentType: "text/plain"}, keeping},
			{"another type", true, 200, false, Header{ContentType: "application/octet-stream"}, keeping},
			{"no type", true, 200, false, Header{}, keeping},
			{"type from content", true, 200, true, Header{}, sniffing},
			{"html", true, 200, false, Header{ContentType: "text/html; charset=utf-8"}, skipping},
			{"xhtml", true, 200, false, Header{ContentType: "application/xhtml+xml"}, skipping},
			{"attachment", true, 200, false, Header{ContentType: "text/plain", ContentDisposition: "attachment"}, keeping},
			{"gzip", true, 200, false, Header{ContentType: "text/plain", ContentEncoding: "gzip"}, keeping},
			{"gzip on the way", true, 200, false, Header{ContentType: "text/plain", TransferEncoding: "gzip, chunked"}, skipping},
			{"range", true, 206, false, Header{ContentType: "text/plain"}, skipping},
			{"error", true, 404, false, Header{ContentType: "text/plain"}, skipping},
			{"HEAD", false, 200, false, Header{ContentType: "text/plain"}, skipping},
		},
	} {
		for _, c := range rows {
			if got := judge(wants, c.get, c.status, c.untyped, &c.header); got != c.want {
				t.Errorf("%s, where %d are wanted: stage %d, want %d", c.name, wants, got, c.want)
			}
		}
	}
}

func TestSniffs(t *testing.T) {
	for _, c := range []struct {
		name   string
		major  int
		header http.Header
		want   bool
	}{
		{"empty", 1, nil, true},
		{"type", 1, http.Header{"Content-Type": {"text/html"}}, false},
		{"empty type", 1, http.Header{"Content-Type": {""}}, false},
		{"type forbidden", 1, http.Header{"Content-Type": nil}, false},
		{"type in another spelling", 1, http.Header{"content-type": {"text/html"}}, true},
		{"encoding", 1, http.Header{"Content-Encoding": {"gzip"}}, false},
		{"identity", 1, http.Header{"Content-Encoding": {"identity"}}, false},
		{"empty encoding", 1, http.Header{"Content-Encoding": {""}}, true},
		{"transfer encoding", 1, http.Header{"Transfer-Encoding": {"chunked"}}, false},
		{"transfer encoding, HTTP/2", 2, http.Header{"Transfer-Encoding": {"chunked"}}, true},
	} {
		if got := sniffs(c.major, c.header); got != c.want {
			t.Errorf("%s: sniffs %v, want %v", c.name, got, c.want)
		}
	}
}

func TestFinal(t *testing.T) {
	for _, c := range []struct {
		status, major int
		want          bool
	}{
		{100, 1, false}, {101, 1, true}, {101, 2, false}, {102, 1, false}, {103, 1, false}, {103, 2, false},
		{199, 1, false}, {200, 1, true}, {404, 2, true}, {999, 1, true},
	} {
		if got := final(c.status, c.major); got != c.want {
			t.Errorf("final(%d, HTTP/%d) = %v", c.status, c.major, got)
		}
	}
}

func TestDeclared(t *testing.T) {
	for _, c := range []struct {
		value string
		want  int64
	}{
		{"", -1}, {"0", 0}, {"10", 10}, {"-1", -1}, {"ten", -1}, {"10, 20", 10}, {"99999999999999999999", -1},
	} {
		if got := declared(c.value); got != c.want {
			t.Errorf("declared(%q) = %d, want %d", c.value, got, c.want)
		}
	}
}
