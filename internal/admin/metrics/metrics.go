// Package metrics writes numbers in the format of Prometheus. Each package makes a [Family] of each number that it has.
// The values of each label come from a fixed set, so that no visitor can add a series.
package metrics

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

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

// One returns the series for a number.
func One[T int | int64 | uint64 | float64](n T, labels ...string) []Series {
	return []Series{{labels, float64(n)}}
}

// Whether returns a series that is 1 if something holds, and else 0.
func Whether(holds bool) []Series {
	if holds {
		return One(1)
	}
	return One(0)
}

// When returns a series for a time, none for the zero Time.
func When(at time.Time, labels ...string) []Series {
	if at.IsZero() {
		return nil
	}
	return One(at.Unix(), labels...)
}

// Each returns a series for each key, in the order of the keys.
func Each[K cmp.Ordered](label string, counts map[K]uint64) (all []Series) {
	for _, k := range slices.Sorted(maps.Keys(counts)) {
		all = append(all, One(counts[k], label, fmt.Sprint(k))...)
	}
	return all
}

// module is the path of this module.
const module = "github.com/servemap/servemap"

// release is the version of a binary that we release. The linker sets it, since `go build` in a clone, unlike
// `go install`, does not know the version.
var release string

// Version returns the version of the module in this program, "unknown" if the program
// was built without one.
func Version() string {
	if release != "" {
		return release
	}
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

// codes are the statuses that are counted of answers to requests for the sitemap.
var codes = [...]int{http.StatusOK, http.StatusNotModified, http.StatusNotFound, http.StatusMethodNotAllowed,
	http.StatusServiceUnavailable}

// Answers counts answers to requests for the sitemap, by status. The zero value is ready. It is safe for concurrent
// use.
type Answers [len(codes)]atomic.Uint64

// Count counts an answer.
func (a *Answers) Count(status int) {
	if i := slices.Index(codes[:], status); i >= 0 {
		a[i].Add(1)
	}
}

// Counts returns the counts so far.
func (a *Answers) Counts() map[int]uint64 {
	counts := map[int]uint64{}
	for i, code := range codes {
		counts[code] = a[i].Load()
	}
	return counts
}

// Result counts the answers to explorations, by the first digit of the status, or 0 for what is no answer. The zero
// value is ready. It is safe for concurrent use.
type Result [6]atomic.Uint64

// Count counts an answer by its status, 0 if the request failed.
func (r *Result) Count(status int) {
	class := status / 100
	if class < 2 || class > 5 {
		class = 0
	}
	r[class].Add(1)
}

// Counts returns the counts so far, by result.
func (r *Result) Counts() map[string]uint64 {
	return map[string]uint64{
		"ok": r[2].Load(), "redirect": r[3].Load(), "client-error": r[4].Load(), "server-error": r[5].Load(),
		"failed": r[0].Load(),
	}
}
