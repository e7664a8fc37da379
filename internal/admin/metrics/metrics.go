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
	More        []Family
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

// Family is a metric with all its series.
type Family struct {
	name, kind, help string
	series           []Series
}

// Series is a value with its labels, besides the label site.
type Series struct {
	labels []string // names and values, alternating
	value  float64
}

// Gauge returns a metric that rises and falls.
func Gauge(name, help string, all []Series) Family { return Family{name, "gauge", help, all} }

// Counter returns a metric that only rises, except at a restart.
func Counter(name, help string, all []Series) Family { return Family{name, "counter", help, all} }

// ContentType is the content type of the text.
const ContentType = "text/plain; version=0.0.4; charset=utf-8"

// Text returns the metrics of a site.
func (s Site) Text() []byte { return Text(s.Origin, families(s)) }

// Text returns metrics in the text format of Prometheus, version 0.0.4, with the label site.
func Text(origin string, all []Family) []byte {
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
func families(s Site) []Family {
	return append([]Family{
		Gauge("servemap_build_info", "The version of servemap, as a label of the constant 1.", []Series{{[]string{"version", Version()}, 1}}),
		Gauge("servemap_pages", "Locations that are known now, by verdict and reason.", verdicts(s.Verdicts)),
		Gauge("servemap_sitemap_pages", "Pages in the sitemap that is served now.", One(s.Files.Pages)),
		Gauge("servemap_sitemap_dated_pages", "Pages of the files made since the start that have a lastmod.", One(s.Files.Dated)),
		Gauge("servemap_sitemap_files", "Files of the sitemap that is served now.", One(s.Files.Files)),
		Gauge("servemap_sitemap_bytes", "Size of these files before compression.", One(s.Files.Bytes)),
		Gauge("servemap_sitemap_damaged_entries", "Entries of these files that could not be read from the store.", One(s.Files.Damaged)),
		Gauge("servemap_sitemap_rendered_timestamp_seconds", "When files of the sitemap were last made.", When(s.Files.Rendered)),
		Counter("servemap_sitemap_requests_total", "Answers to requests for files of the sitemap, by status code.", byKey("code", s.Answers, strconv.Itoa)),
		Counter("servemap_observations_total", "Responses that showed something of a page.", One(s.Worker.Observations)),
		Counter("servemap_observations_dropped_total", "Observations that were lost because too many came at once.", One(s.Worker.Dropped)),
		Gauge("servemap_queue_length", "Observations that wait to be merged.", One(s.Worker.Queued)),
		Counter("servemap_responses_ignored_total", "Responses that were observed and showed nothing of a public page, by reason.", byKey("reason", s.Ignored, asIs)),
		Counter("servemap_changes_total", "Pages that this process has added to the sitemap, found changed or removed.", byKey("kind", s.Changes, asIs)),
		Gauge("servemap_changelog_bytes", "Size of what is remembered of changes, when it was last bounded by this process; at most 128 MiB remain.", One(s.Worker.Changelog)),
		Gauge("servemap_store_up", "Whether the store can be used: 1 if it can.", Whether(s.StoreUp)),
		Counter("servemap_records_damaged_total", "Records of the store that could not be read.", One(s.Worker.Damaged)),
		Gauge("servemap_hints", "Hints that were given: what keeps the site from being learned.", One(s.Hints)),
		Gauge("servemap_broken_links", "Addresses that listed pages link to and that last answered 404, 410 or an error, as far as known since the start.", One(s.BrokenLinks)),
		Counter("servemap_worker_seconds_total", "Time for which the worker was at work.", []Series{{nil, s.Worker.Time.Seconds()}}),
		Counter("servemap_explore_requests_total", "Requests that explorations have made, by result.", byKey("result", s.Explored, asIs)),
	}, s.More...)
}

// One returns the series for a number.
func One[T int | int64 | uint64](n T, labels ...string) []Series {
	return []Series{{labels, float64(n)}}
}

// Whether returns the series for what holds or not.
func Whether(holds bool) []Series {
	if holds {
		return One(1)
	}
	return One(0)
}

func asIs(s string) string { return s }

// When returns a series for a time, none for the zero Time.
func When(at time.Time, labels ...string) []Series {
	if at.IsZero() {
		return nil
	}
	return One(at.Unix(), labels...)
}

// byKey returns a series for each key, in the order of the keys.
func byKey[K cmp.Ordered](label string, counts map[K]uint64, text func(K) string) (all []Series) {
	for _, k := range slices.Sorted(maps.Keys(counts)) {
		all = append(all, Series{[]string{label, text(k)}, float64(counts[k])})
	}
	return all
}

func verdicts(of []Verdict) (all []Series) {
	for _, v := range of {
		all = append(all, Series{[]string{"verdict", v.Verdict, "reason", v.Reason}, float64(v.Pages)})
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
