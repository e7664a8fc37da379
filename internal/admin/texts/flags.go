package texts

import (
	_ "embed"
	"strings"
)

// KeyVariable is the environment variable with the key of the command's -indexnow. The key is
// not a flag, because everybody on the machine may read the flags of a process.
const KeyVariable = "SERVEMAP_INDEXNOW_KEY"

// InFlags returns a text of the library as the command says it: with flags for options.
func InFlags(text string) string { return flags.Replace(text) }

// MissingInFlags says what would list a page. It is "" for a route, since the command sees no
// router.
func MissingInFlags(text string) string {
	if strings.HasPrefix(text, "a route ") {
		return ""
	}
	return InFlags(text)
}

// flagsFile has in each line a text of the library, an arrow, and what the command says instead. Of
// texts that begin alike the longer one comes first.
//
//go:embed flags.txt
var flagsFile string

var flags = readFlags(flagsFile)

func readFlags(file string) *strings.Replacer {
	var pairs []string
	for line := range strings.Lines(file) {
		text, said, _ := strings.Cut(strings.TrimRight(line, "\r\n"), " =>")
		pairs = append(pairs, text, strings.TrimPrefix(said, " "))
	}
	return strings.NewReplacer(pairs...)
}
