package texts

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/servemap/servemap/internal/testkit/base"
)

// textsIn returns the strings in a Go file. Strings joined by + are one text.
func textsIn(t *testing.T, name string) (all []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		e, ok := n.(ast.Expr)
		if !ok {
			return true
		}
		text, is := textOf(e)
		if is {
			all = append(all, text)
		}
		return !is
	})
	return all
}

func textOf(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		return text, err == nil && e.Kind == token.STRING
	case *ast.BinaryExpr:
		left, is := textOf(e.X)
		right, also := textOf(e.Y)
		return left + right, e.Op == token.ADD && (is || also)
	}
	return "", false
}

func TestTextsOfTheLibraryAreTranslatedToFlags(t *testing.T) {
	library := regexp.MustCompile(`Options\.|options:|Rule\.|Limits\.|Site\.|site\.[A-Z]|Stats|\bAlways\b|\bNever\b|middleware that compresses|\bWrap\b`)
	all := strings.Split(reasonsFile, "\n")
	hints, err := os.ReadFile("../hint/hints.txt")
	base.Check(t, err)
	all = append(all, strings.Split(string(hints), "\n")...)
	for _, file := range []string{"pages.go", "dates.go", "sitemap.go", "../../../notify/answer.go", "../../../notify/key.go", "../../../notify/post.go"} {
		all = append(all, textsIn(t, file)...)
	}
	checked := 0
	for _, text := range all {
		if library.MatchString(text) {
			checked++
		}
		if said := InFlags(text); library.MatchString(said) {
			t.Errorf("%q names what only the library has; add that to flags.txt", said)
		}
	}
	if checked < 20 {
		t.Errorf("only %d texts were found that name something of the library", checked)
	}
}
