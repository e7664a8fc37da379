package nowhere

import (
	"regexp"
	"testing"
)

func TestBesideMakesUpAllNamesButTheFirstFolder(t *testing.T) {
	const word, number = `[a-z2-7]{12}`, `\d{9}`
	for _, tt := range []struct{ location, address, stands string }{
		{"/about", "/" + word, "/*"},
		{"/about/", "/" + word + "/", "/*/"},
		{"/about.html", "/" + word + `\.html`, "/*.html"},
		{"/posts/17", "/posts/" + number, "/posts/#"},
		{"/posts/rain-17.html", "/posts/rain-" + number + `\.html`, "/posts/*#.html"},
		{"/docs/api/v2/", "/docs/" + word + "/v" + number + "/", "/docs/*/*#/"},
		{"/2026/11/rain", "/" + number + "/" + number + "/" + word, "/#/#/*"},
		{"/q17/a-title", "/q" + number + "/" + word, "/*#/*"},
		{"/tags/node.js", "/tags/" + word + `\.js`, "/tags/*.js"},
		{"/view?id=5&in=de", `/view\?id=` + number + "&in=" + word, "/view?id=#&in=*"},
		{"/", "", ""},
		{"/news/page/3", "", ""},
		{"/news?page=3", "", ""},
	} {
		address, stands := Beside(tt.location)
		if !regexp.MustCompile("^"+tt.address+"$").MatchString(address) || stands != tt.stands {
			t.Errorf("beside %s is %s, for %s; want %s, for %s", tt.location, address, stands, tt.address, tt.stands)
		}
	}
}
