// Package settings has what the owner of a site may say of it, each thing once: as a flag, as a key in a file and
// with its help. It takes these and gives the library's options, the handler of the site and its notifier.
package settings

import (
	"fmt"

	"github.com/servemap/servemap/cmd/servemap/internal/folder"
	"github.com/servemap/servemap/internal/page/location"
	"github.com/servemap/servemap/internal/page/words"
)

// Settings are what the owner says of one site, in the groups of the help. Each is a field of a group, which is its
// only definition: the tag toml is the name of its flag and of its key in a file, comment is its help, arg its value,
// and default and env what stands in its place. The tag of says that a setting is a flag of crawl too, of proxy alone,
// or of no command. The tag needs names the setting without which this one makes no sense. The tag first puts it into
// the first help.
type Settings struct {
	Serving   `group:"What to serve"`
	Pages     `group:"What is public"`
	Visits    `group:"Visiting the pages"`
	Engines   `group:"Search engines"`
	Operation `group:"Operation"`
}

// Serving says which site is served, and to whom.
type Serving struct {
	Origin   string   `toml:"origin" arg:"URL" first:"1" comment:"the public URL of the site, such as https://example.com; without it this is only for trying, at http://localhost and the port of {-listen}"`
	To       string   `toml:"to" of:"proxy" arg:"URL" first:"1" comment:"where the site itself listens, such as http://localhost:3000 or unix:/run/site.sock"`
	Folder   string   `toml:"folder" of:"none" comment:"the folder of the site's HTML files, in place of {-to}"`
	Listen   string   `toml:"listen" arg:"ADDRESS" first:"1" default:"localhost:8080" comment:"where visitors are served, such as :8080"`
	Host     string   `toml:"host" of:"proxy" arg:"WHICH" default:"origin" comment:"the Host that the site gets: origin or upstream"`
	Timeout  duration `toml:"timeout" of:"proxy" arg:"DURATION" default:"1m" comment:"how long the site may take to begin an answer, such as 30s"`
	Hosts    []string `toml:"hosts" arg:"HOSTS" comment:"other hosts whose requests show pages of the site, such as www.example.com"`
	Stripped string   `toml:"stripped" arg:"PREFIX" comment:"what a server in front cuts off the path, such as /shop, if {-origin} has a folder"`
	Trusted  []string `toml:"trusted-proxies" arg:"RANGES" first:"1" comment:"the proxies in front whose X-Forwarded-For is true, such as 10.0.0.0/8,127.0.0.1 or private"`
}

// Pages says which pages may be listed.
type Pages struct {
	Never      patterns `toml:"never" of:"crawl" arg:"PATTERN" first:"1" comment:"locations that are not listed, as in robots.txt, such as /internal/"`
	Always     patterns `toml:"always" of:"crawl" arg:"PATTERN" first:"1" comment:"locations that are listed once they are seen, such as /landing/*$; exploring visits one that has no star"`
	Public     patterns `toml:"public" of:"crawl" arg:"PATTERN" first:"1" comment:"locations that are public, such as / for all, although they are sent with Cache-Control private or no-store, as those of Rails, PHP sessions and Next.js are"`
	Entries    patterns `toml:"entry" of:"crawl" arg:"PATH" comment:"where visitors enter the site, in place of /"`
	Query      []string `toml:"query" of:"crawl" arg:"NAMES" first:"1" comment:"query parameters that make a page of its own, such as id,lang where /article?id=5&lang=de is one; the parameter page always does"`
	Benign     []string `toml:"benign" arg:"NAMES" first:"1" comment:"cookies that every visitor gets and that never stand for a log-in (PHPSESSID does), or, with a colon after the name, such headers of a request"`
	RobotsText string   `toml:"robots-text" of:"none" comment:"the host's robots.txt, if another server serves it"`
	ReportOnly bool     `toml:"report-only" comment:"learn and explain, and serve no sitemap"`
	Rules      []rule   `toml:"rule,omitempty" of:"none" comment:"rules for the locations of a pattern"`
}

// Visits says which pages servemap visits itself.
type Visits struct {
	Explore     bool     `toml:"explore" of:"proxy" first:"1" comment:"at the first start, visit all pages along the links, so that they are listed before their first visitor; a folder is visited at each start"`
	Inside      bool     `toml:"inside" comment:"explore the site itself, even where {-origin} does not lead to this process; only if no server in front keeps strangers from a page"`
	Revisit     bool     `toml:"revisit" comment:"visit again, at most {-max} a day, pages that nobody visits, so that their changes get a date"`
	Sitemaps    []string `toml:"sitemap" of:"crawl" arg:"URL" comment:"a sitemap that the site has, such as /old-sitemap.xml; those that its robots.txt names, and /sitemap.xml, are read anyway, and what they list is asked for and listed"`
	Max         int      `toml:"max" of:"crawl" needs:"explore" arg:"REQUESTS" default:"20000" comment:"how many requests an exploration makes at most"`
	Concurrency int      `toml:"concurrency" of:"crawl" needs:"explore" first:"crawl" arg:"REQUESTS" default:"2" comment:"how many requests an exploration makes at once at most; more than one only while the site answers easily"`
}

// Engines says what search engines get and are told.
type Engines struct {
	Robots      bool   `toml:"robots" first:"1" comment:"name the sitemap in the site's robots.txt, and serve one if the site has none"`
	IndexNow    bool   `toml:"indexnow" first:"1" comment:"tell Bing, Yandex and others what changed, by IndexNow; the key is made and kept with what is learned"`
	Endpoint    string `toml:"indexnow-endpoint" needs:"indexnow" arg:"URL" comment:"whom to tell in place of api.indexnow.org"`
	Key         secret `toml:"indexnow-key" of:"none" env:"SERVEMAP_INDEXNOW_KEY" comment:"a key of your own for IndexNow"`
	PerDay      int    `toml:"indexnow-per-day" needs:"indexnow" arg:"PAGES" default:"10000" comment:"how many pages IndexNow is told of a day at most"`
	Property    string `toml:"google-property" needs:"google-token" arg:"NAME" comment:"the site as Search Console names it, such as sc-domain:example.com; by default one that the account of {-google-token} may change"`
	GoogleToken string `toml:"google-token" arg:"FILE" comment:"the file with what may submit the sitemap to Search Console: the JSON key of a service account that is a user of the property, or an access token that another program renews"`
	Crawlers    bool   `toml:"crawlers" comment:"follow what search engines fetch; this asks the DNS whose their addresses are"`
	Ranges      string `toml:"crawler-ranges" needs:"crawlers" arg:"DIR" comment:"lists of addresses as engines publish them, such as GPTBot.json"`
	Name        string `toml:"name" arg:"NAME" default:"sitemap" comment:"the sitemap's file name without .xml"`
	Alternates  bool   `toml:"alternates" of:"crawl" comment:"add a page's versions in other languages to the sitemap"`
	Images      bool   `toml:"images" of:"crawl" comment:"add the images of pages, but for those that are less than 32 pixels wide or high"`
	Videos      bool   `toml:"videos" of:"crawl" comment:"add the videos of pages"`
	News        bool   `toml:"news" comment:"serve sitemap-news.xml with the articles of the last two days"`
	Publication string `toml:"publication" arg:"NAME" comment:"the name of the newspaper in that file"`
}

// Operation says how the process runs, and where it keeps what it learns.
type Operation struct {
	Data      string   `toml:"data" of:"crawl" arg:"DIR" first:"1" comment:"the folder for what is learned; keep it"`
	Reserve   int      `toml:"reserve" arg:"MIB" comment:"how many MiB of that folder's disk stay free; by default a tenth of the disk, from 24 to 512"`
	Wait      bool     `toml:"wait" comment:"serve the pages also while {-data} belongs to another user, and wait for it"`
	Drain     duration `toml:"drain" arg:"DURATION" default:"10s" comment:"how long downloads, event streams and the like may go on once the process is told to end; new visitors are served meanwhile, and then refused for 3s at most, unless systemd holds the socket"`
	Database  secret   `toml:"database" arg:"URL" env:"SERVEMAP_DATABASE" comment:"the postgres:// URL of a database for what is learned, for several processes"`
	Table     string   `toml:"table" needs:"database" arg:"NAME" comment:"the table in that database, also as SCHEMA.NAME; by default servemap"`
	Admin     string   `toml:"admin" of:"crawl" arg:"ADDRESS" first:"1" comment:"where /healthz, /metrics and the inspector are, such as 127.0.0.1:9090; the log has the link that opens the inspector; by default nowhere"`
	Password  secret   `toml:"admin-password" of:"crawl" needs:"admin" arg:"TEXT" first:"1" env:"SERVEMAP_ADMIN_PASSWORD" comment:"open the inspector and /metrics to the user admin with this password, in place of the link; for other machines and containers"`
	Log       string   `toml:"log" of:"crawl" arg:"FORM" first:"1" comment:"the form of the log: people, text or json; by default people in a terminal, and else text"`
	Level     level    `toml:"log-level" of:"crawl" arg:"LEVEL" comment:"the least that is logged: debug, info, warn or error"`
	KeepFor   duration `toml:"keep-for" arg:"DURATION" default:"90d" comment:"how long a listed page stays while nobody gets it"`
	PartPages int      `toml:"part-pages" of:"crawl" arg:"PAGES" default:"50000" comment:"the most pages of one file of the sitemap"`
	Render    duration `toml:"render-every" arg:"DURATION" default:"5s" comment:"the least time between two renderings of the sitemap"`
}

// rule is a [servemap.Rule] in a file.
type rule struct {
	Pattern            string   `toml:"pattern"`
	List               string   `toml:"list"` // always, never or auto
	Query              []string `toml:"query"`
	IgnoreCacheControl bool     `toml:"ignore-cache-control"`
	ChangeFreq         string   `toml:"changefreq"`
	Priority           float64  `toml:"priority"`
	Section            string   `toml:"section"`
}

// wrong returns an error with settings in braces, as for package words.
func wrong(format string, args ...any) error { return fmt.Errorf(words.Say(format), args...) }

// Check says which setting is wrong. The origin may still be missing.
func (s *Settings) Check() error {
	given := map[string]bool{}
	for _, x := range s.All() {
		given[x.Key] = x.given() && fmt.Sprint(x.Value) != x.String() // a default needs nothing
	}
	given["explore"] = s.Explore || s.Revisit || s.To == "" // a folder and a crawl always explore
	for _, x := range s.All() {
		if needs := x.Tag.Get("needs"); given[x.Key] && needs != "" && !given[needs] {
			return wrong("{-" + x.Key + "} needs {-" + needs + "}")
		}
	}
	if _, err := location.ParseOrigin(s.Origin); err != nil && s.Origin != "" { // without an origin, the address says it
		return wrong("{-origin} %w", err)
	}
	if s.Folder != "" && s.To != "" {
		return wrong("{-folder} and {-to} are both given; a site has one of them")
	}
	if s.Data != "" && s.Folder != "" && folder.Serves(s.Folder, s.Data) {
		return wrong("{-data} %s is in the folder that is served, so visitors could fetch what is learned; give a folder "+
			"outside it, or one whose name begins with a dot", s.Data)
	}
	return nil
}
