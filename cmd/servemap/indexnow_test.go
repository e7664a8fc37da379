package main

import (
	"net/http"
	"strings"
	"testing"

	"github.com/servemap/servemap/internal/testkit/base"
)

func TestOnlyWithIndexNowIsThereAKeyFile(t *testing.T) {
	const key = "the-owners-key"
	t.Setenv("SERVEMAP_INDEXNOW_KEY", key)
	for flag, want := range map[string]int{"-indexnow=false": http.StatusNotFound, "-indexnow": http.StatusOK} {
		s := files(t, writeSite(t), t.TempDir(), flag)
		if resp, body := get(t, s.at+"/"+key+".txt"); resp.StatusCode != want || want == http.StatusOK && body != key {
			t.Errorf("%s: the key file is answered with %s %q", flag, resp.Status, body)
		}
		told := func() bool {
			return strings.Contains(must(t, "status", "-data", s.data), "\n  IndexNow: 0 pages accepted today, 0 waiting\n")
		}
		if want == http.StatusOK {
			base.Await(t, "the status has IndexNow", told) // the notifier begins after the site
		} else if told() {
			t.Errorf("%s: the status has IndexNow", flag)
		}
	}
}
