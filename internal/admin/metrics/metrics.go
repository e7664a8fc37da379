// Package metrics writes the numbers of a site in the format of Prometheus. It takes plain
// counts and returns text. The values of each label come from a fixed set, so that no
// visitor can add a series. It must count nothing itself except the answers to requests,
// see [Answers].
package metrics

import (
	"bytes"
	"cmp"
	"maps"
	"net/http"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// Site has the numbers of one site.
type Site struct {
	Origin      string
	Verdicts    []Verdict         // the known locations
	Files       Files             // of the sitemap that is served now
	Ignored     map[string]uint64 // responses that showed nothing of a public page, by reason
	Changes     map[string]uint64 // "added", "changed" and "removed"
	StoreUp     bool
	Hints       int
	BrokenLinks int
	Worker      Worker
	Answers     map[int]uint64    // to requests for the sitemap, by status
	Explored    map[string]uint64 // answers to explorations, see [Result]
	Crawlers    []Crawler         // that are followed
}

// Worker has the numbers of the worker.
type Worker struct {
	Observations uint64        // responses that showed something of a page
	Dropped      uint64        // observations lost because too many came at once
	Queued       int           // observations that wait to be merged
	Damaged      uint64        // records that could not be read
	Changelog    int           // bytes of the changelog
	Time         time.Duration // for which it has worked
}

// Crawler has the numbers of one crawler.
type Crawler struct {
	Name     string
	Requests map[string]uint64 // today: "claimed", and of these "confirmed" and "refuted"
	Pages    map[string]uint64 // that are listed, by when they were fetched: "day", "week" or "never"
	Sitemap  time.Time         // when it last got a file of the sitemap, the zero Time for never
}

// Verdict counts the locations with one verdict and reason.
type Verdict struct {
	Verdict, Reason string
	Pages           int
}

// Files has the numbers of the served files.
type Files struct {
	Pages, Files int
	Dated        int       // pages with a lastmod, of the files made since the start
	Bytes        int       // of all files, before compression
	Damaged      int       // entries that could not be read
	Rendered     time.Time // when files were last made, the zero Time for never
}

// family is a metric with all its series.
type family struct {
	name, kind, help string
	series           []series
}

// series is a value with its labels, besides the label site.
type series struct {
	labels []string // names and values, alternating
	value  float64
}

const (
	gauge   = "gauge"
	counter = "counter"
)

// ContentType is the content type of the text.
const ContentType = "text/plain; version=0.0.4; charset=utf-8"

// Text returns the metrics of a site in the text format of Prometheus, version 0.0.4.
func Text(s Site) []byte { return text(s.Origin, families(s)) }

func text(origin string, all []family) []byte {
	var b bytes.Buffer
	for _, f := range all {
		b.WriteString("# HELP " + f.name + " " + f.help + "\n# TYPE " + f.name + " " + f.kind + "\n")
		for _, one := range f.series {
			b.WriteString(f.name + `{site="` + escape(origin) + `"`)
			for i := 0; i < len(one.labels); i += 2 {
				b.WriteString("," + one.labels[i] + `="` + escape(one.labels[i+1]) + `"`)
			}
			b.WriteString("} " + strconv.FormatFloat(one.value, 'g', -1, 64) + "\n")
		}
	}
	return b.Bytes()
}

var escape = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace

// families returns all metrics. A metric without series still has its name and help text,
// so that readers see that it exists.
func families(s Site) []family {
	up := 0
	if s.StoreUp {
		up = 1
	}
	var requests, pages, fetched []series
	for _, c := range s.Crawlers {
		requests = append(requests, byKey("result", c.Requests, asIs, "crawler", c.Name)...)
		pages = append(pages, byKey("fetched", c.Pages, asIs, "crawler", c.Name)...)
		fetched = append(fetched, when(c.Sitemap, "crawler", c.Name)...)
	}
	return []family{
		{"servemap_build_info", gauge, "The version of servemap, as a label of the constant 1.", []series{{[]string{"version", Version()}, 1}}},
		{"servemap_pages", gauge, "Locations that are known now, by verdict and reason.", verdicts(s.Verdicts)},
		{"servemap_sitemap_pages", gauge, "Pages in the sitemap that is served now.", one(s.Files.Pages)},
		{"servemap_sitemap_dated_pages", gauge, "Pages of the files made since the start that have a lastmod.", one(s.Files.Dated)},
		{"servemap_sitemap_files", gauge, "Files of the sitemap that is served now.", one(s.Files.Files)},
		{"servemap_sitemap_bytes", gauge, "Size of these files before compression.", one(s.Files.Bytes)},
		{"servemap_sitemap_damaged_entries", gauge, "Entries of these files that could not be read from the store.", one(s.Files.Damaged)},
		{"servemap_sitemap_rendered_timestamp_seconds", gauge, "When files of the sitemap were last made.", when(s.Files.Rendered)},
		{"servemap_sitemap_requests_total", counter, "Answers to requests for files of the sitemap, by status code.", byKey("code", s.Answers, strconv.Itoa)},
		{"servemap_observations_total", counter, "Responses that showed something of a page.", one(s.Worker.Observations)},
		{"servemap_observations_dropped_total", counter, "Observations that were lost because too many came at once.", one(s.Worker.Dropped)},
		{"servemap_queue_length", gauge, "Observations that wait to be merged.", one(s.Worker.Queued)},
		{"servemap_responses_ignored_total", counter, "Responses that were observed and showed nothing of a public page, by reason.", byKey("reason", s.Ignored, asIs)},
		{"servemap_changes_total", counter, "Pages that this process has added to the sitemap, found changed or removed.", byKey("kind", s.Changes, asIs)},
		{"servemap_changelog_bytes", gauge, "Size of what is remembered of changes, when it was last bounded by this process; at most 128 MiB remain.", one(s.Worker.Changelog)},
		{"servemap_crawler_requests", gauge, "Requests of this day, in UTC, that claimed to be from a crawler, and of these the confirmed and refuted ones.", requests},
		{"servemap_crawler_pages", gauge, "Listed pages by when a crawler last fetched them from this process: within a day, within a week, or never.", pages},
		{"servemap_crawler_sitemap_fetched_timestamp_seconds", gauge, "When a crawler last got a file of the sitemap.", fetched},
		{"servemap_store_up", gauge, "Whether the store can be used: 1 if it can.", one(up)},
		{"servemap_records_damaged_total", counter, "Records of the store that could not be read.", one(s.Worker.Damaged)},
		{"servemap_hints", gauge, "Hints that were given: what keeps the site from being learned.", one(s.Hints)},
		{"servemap_broken_links", gauge, "Addresses that listed pages link to and that last answered 404, 410 or an error, as far as known since the start.", one(s.BrokenLinks)},
		{"servemap_worker_seconds_total", counter, "Time for which the worker was at work.", []series{{nil, s.Worker.Time.Seconds()}}},
		{"servemap_explore_requests_total", counter, "Requests that explorations have made, by result.", byKey("result", s.Explored, asIs)},
	}
}

func one[T int | int64 | uint64](n T) []series { return []series{{nil, float64(n)}} }

func asIs(s string) string { return s }

// when returns a series for a time, none for the zero Time.
func when(at time.Time, labels ...string) []series {
	if at.IsZero() {
		return nil
	}
	return []series{{labels, float64(at.Unix())}}
}

// byKey returns a series for each key, in the order of the keys. more are further labels.
func byKey[K cmp.Ordered](label string, counts map[K]uint64, text func(K) string, more ...string) (all []series) {
	for _, k := range slices.Sorted(maps.Keys(counts)) {
		all = append(all, series{append([]string{label, text(k)}, more...), float64(counts[k])})
	}
	return all
}

func verdicts(of []Verdict) (all []series) {
	for _, v := range of {
		all = append(all, series{[]string{"verdict", v.Verdict, "reason", v.Reason}, float64(v.Pages)})
	}
	return all
}

// module is the path of this module.
const module = "github.com/servemap/servemap"

// Version returns the version of the module in this program, "unknown" if the program
// was built without one.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	for _, m := range append(info.Deps, &info.Main) {
		if m.Path == module && m.Version != "" {
			return m.Version
		}
	}
	return "unknown"
}

// codes are the statuses of answers to requests for the sitemap.
var codes = [...]int{http.StatusOK, http.StatusNotModified, http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusServiceUnavailable}

// Answers counts answers by their status. The zero value is ready. It is safe for
// concurrent use.
type Answers struct{ counts [len(codes)]atomic.Uint64 }

// Count counts an answer.
func (a *Answers) Count(status int) {
	if i := slices.Index(codes[:], status); i >= 0 {
		a.counts[i].Add(1)
	}
}

// Counts returns the counts so far, by status.
func (a *Answers) Counts() map[int]uint64 {
	counts := map[int]uint64{}
	for i, code := range codes {
		counts[code] = a.counts[i].Load()
	}
	return counts
}

// results are the possible results of an exploration's request.
var results = [...]string{"ok", "redirect", "client-error", "server-error", "failed"}

// Result counts the answers to explorations. The zero value is ready. It is safe for
// concurrent use.
type Result struct{ counts [len(results)]atomic.Uint64 }

// Count counts an answer by its status, 0 if the request failed.
func (r *Result) Count(status int) {
	i := len(results) - 1
	if class := status/100 - 2; 0 <= class && class < i {
		i = class
	}
	r.counts[i].Add(1)
}

// Counts returns the counts so far, by result.
func (r *Result) Counts() map[string]uint64 {
	counts := map[string]uint64{}
	for i, name := range results {
		counts[name] = r.counts[i].Load()
	}
	return counts
}
