package sitemap

import "bytes"

// An entry is one line of a file. If it has alternates, each of them is a line of its own
// in it, and what follows them is another. So a reader by lines can leave out pages.

// Loc returns the escaped address in a line that begins an entry.
func Loc(line []byte) (address []byte, ok bool) {
	address, ok = bytes.CutPrefix(line, []byte("<url><loc>"))
	address, _, _ = bytes.Cut(address, []byte("</loc>"))
	return address, ok
}

// Href returns the escaped address in a line that is an alternate.
func Href(line []byte) (address []byte, ok bool) {
	if !bytes.HasPrefix(line, []byte(`<xhtml:link `)) {
		return nil, false
	}
	_, address, ok = bytes.Cut(line, []byte(` href="`))
	address, _, _ = bytes.Cut(address, []byte(`"`))
	return address, ok
}

// EndsURL reports whether a line ends an entry.
func EndsURL(line []byte) bool { return bytes.HasSuffix(line, []byte("</url>")) }
