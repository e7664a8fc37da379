// Types checks the types of packages, and of their tests, for a system that this machine is not:
//
//	GOOS=windows go list -deps -test -json ./... | go run ./.ci/types
//
// It compiles nothing, since no other check could use the result.
package main

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"log"
	"os"
	"path/filepath"
	"strings"
)

// listed is a package as go list prints it, after all that it imports.
type listed struct {
	Dir, ImportPath string
	GoFiles         []string
	ImportMap       map[string]string
	Module          struct{ Main bool }
}

// known are the packages that were read, by the paths that go list has for them.
type known map[string]*types.Package

// check reads a package. Of one that is not ours, it leaves out what is in functions.
func (k known) check(p *listed) (err error) {
	var files []*ast.File
	fset := token.NewFileSet()
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		files = append(files, f)
	}
	config := types.Config{Importer: imports{k, p.ImportMap}, IgnoreFuncBodies: !p.Module.Main,
		Sizes: types.SizesFor("gc", "amd64")}
	path, _, _ := strings.Cut(p.ImportPath, " ") // behind it stands the test that it is compiled for
	k[p.ImportPath], err = config.Check(path, fset, files, nil)
	return err
}

// imports are the packages that one of them imports.
type imports struct {
	known
	names map[string]string // other than in its files
}

func (i imports) Import(path string) (*types.Package, error) {
	if name, ok := i.names[path]; ok {
		path = name
	}
	return i.known[path], nil
}

func main() {
	log.SetFlags(0)
	k := known{"unsafe": types.Unsafe}
	for in := json.NewDecoder(os.Stdin); in.More(); {
		var p listed
		if err := in.Decode(&p); err != nil {
			log.Fatal(err)
		}
		if p.ImportPath == "unsafe" || strings.HasSuffix(p.ImportPath, ".test") { // neither has files of its own
			continue
		}
		if err := k.check(&p); err != nil {
			log.Fatal(err)
		}
	}
	if len(k) == 1 {
		log.Fatal("there was nothing to check")
	}
}
