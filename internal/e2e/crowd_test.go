package e2e

import (
	"fmt"
	"net/http"

	"github.com/servemap/servemap/internal/testkit"
)

// numbered returns n paths, from number 0 on.
func numbered(format string, n int) (paths []string) {
	for i := range n {
		paths = append(paths, fmt.Sprintf(format, i))
	}
	return paths
}

// Addresses of visitors, each in another network.
const (
	ann  = "8.8.8.8"
	bob  = "9.9.9.9"
	carl = "1.1.1.1"
	dora = "4.4.4.4"
)

// status answers with a status and a short page.
func status(code int, headers ...string) http.HandlerFunc {
	return testkit.Reply(code, testkit.HTML("", "an error"), headers...)
}
