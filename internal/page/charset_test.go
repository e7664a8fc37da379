package page

import "testing"

func TestCharset(t *testing.T) {
	const utf8Type = "text/html; charset=utf-8"
	tests := []struct{ name, contentType, html, want string }{
		{"declared UTF-8", utf8Type, "<title>caf\u00e9</title>", "café"},
		{"UTF-8 mark before the header", "text/html; charset=iso-8859-1", "\xef\xbb\xbf<title>caf\u00e9</title>", "café"},
		{"undeclared UTF-8", "", "<title>caf\u00e9</title>", "café"},
		{"undeclared UTF-8 cut in a character", "", "<title>caf\u00e9</title>\xe2\x82", "café"},
		{"undeclared UTF-8 late in the page", "", string(make([]byte, 2000)) + "<title>caf\u00e9</title>", "café"},
		{"windows-1252 by header", "text/html; charset=windows-1252", "<title>caf\xe9 \x80</title>", "café €"},
		{"ISO 8859-1 is windows-1252", "text/html; Charset=\"ISO-8859-1\"", "<title>caf\xe9 \x80</title>", "café €"},
		{"windows-1252 by meta", "text/html", "<meta charset=windows-1252><title>caf\xe9</title>", "café"},
		{"windows-1251 by pragma", "", "<meta http-equiv=content-type content='text/html; charset=windows-1251'><title>\xcf\xf0\xe8</title>", "При"},
		{"undeclared and not UTF-8", "", "<title>caf\xe9</title>", "café"},
		{"Shift_JIS by header", "text/html; charset=Shift_JIS", "<title>\x93\xfa\x96\x7b</title>", "日本"},
		{"Shift_JIS by meta", "", "<meta charset=shift_jis><title>\x93\xfa\x96\x7b</title>", "日本"},
		{"ISO-2022-JP by meta", "", "<meta charset=iso-2022-jp><title>\x1b$BF|K\\\x1b(B</title>", "日本"},
		{"GBK by header", "text/html;charset=gbk", "<title>\xd6\xd0\xce\xc4</title>", "中文"},
		{"UTF-16 little endian by mark", utf8Type, "\xff\xfe<\x00t\x00i\x00t\x00l\x00e\x00>\x00\xe9\x00<\x00/\x00t\x00i\x00t\x00l\x00e\x00>\x00", "é"},
		{"UTF-16 big endian by mark", "", "\xfe\xff\x00<\x00t\x00i\x00t\x00l\x00e\x00>\x00\xe9\x00<\x00/\x00t\x00i\x00t\x00l\x00e\x00>", "é"},
		{"UTF-16 cut in a character", "", "\xff\xfe<\x00t\x00i\x00t\x00l\x00e\x00>\x00\xe9\x00<\x00/\x00t\x00i\x00t\x00l\x00e\x00>\x00a", "é"},
		{"unknown charset", "text/html; charset=klingon", "<title>caf\u00e9</title>", "café"},
		{"malformed header", "text/html; charset", "<title>caf\u00e9</title>", "café"},
		{"empty", "", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			opts := Options{ContentType: tt.contentType}
			if got := Read([]byte(tt.html), opts).Title; got != tt.want {
				t.Errorf("title %q, want %q", got, tt.want)
			}
			if got := Head([]byte(tt.html), opts).Title; got != tt.want {
				t.Errorf("title %q in the head, want %q", got, tt.want)
			}
		})
	}
}
