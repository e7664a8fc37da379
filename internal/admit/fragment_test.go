package admit

import (
	"net/http"
	"testing"
)

func TestWhatScriptsAndFramesFetchIsAFragment(t *testing.T) {
	for _, tt := range []struct {
		name    string
		headers []string // name, value, name, value ...
		want    bool
	}{
		{"no such header, as crawlers send", []string{"Accept", "*/*", "User-Agent", "wget"}, false},
		{"a page that a browser opens", []string{"Sec-Fetch-Dest", "document", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Site", "none"}, false},
		{"a page that is fetched ahead", []string{"Sec-Fetch-Dest", "document", "Sec-Purpose", "prefetch;prerender"}, false},
		{"fetch of Node, which says no destination", []string{"Sec-Fetch-Mode", "cors"}, false},
		{"fetch in a browser", []string{"Sec-Fetch-Dest", "empty"}, true},
		{"iframe", []string{"Sec-Fetch-Dest", "iframe"}, true},
		{"frame", []string{"Sec-Fetch-Dest", "frame"}, true},
		{"object", []string{"Sec-Fetch-Dest", "object"}, true},
		{"image", []string{"Sec-Fetch-Dest", "image"}, true},
		{"no destination that is known", []string{"Sec-Fetch-Dest", ""}, true},
		{"two destinations", []string{"Sec-Fetch-Dest", "document", "Sec-Fetch-Dest", "empty"}, true},
		{"htmx", []string{"HX-Request", "true"}, true},
		{"htmx, a whole page", []string{"HX-Request", "true", "HX-Boosted", "true"}, false},
		{"htmx, a whole page in a browser that says more", []string{"HX-Request", "true", "HX-Boosted", "true", "Sec-Fetch-Dest", "empty"}, true},
		{"jQuery", []string{"X-Requested-With", "XMLHttpRequest"}, true},
		{"Turbo", []string{"Turbo-Frame", "messages"}, true},
		{"pjax", []string{"X-PJAX", "true"}, true},
		{"Unpoly", []string{"X-Up-Version", "3.10.0"}, true},
		{"Livewire", []string{"X-Livewire", ""}, true},
		{"Inertia", []string{"X-Inertia", "true"}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := http.Header{}
			for i := 0; i < len(tt.headers); i += 2 {
				h.Add(tt.headers[i], tt.headers[i+1])
			}
			if got := IsFragment(h); got != tt.want {
				t.Errorf("%v, want %v", got, tt.want)
			}
		})
	}
}

func TestTheHeadersOfFragmentsAreInCanonicalForm(t *testing.T) {
	for _, name := range fragmentHeaders {
		if canonical := http.CanonicalHeaderKey(name); canonical != name {
			t.Errorf("%s is never found: net/http spells it %s", name, canonical)
		}
	}
}
