package inspect

import (
	"github.com/servemap/servemap/internal/admin/metrics"
	"github.com/servemap/servemap/internal/index/indexer"
	"github.com/servemap/servemap/internal/observe"
	"github.com/servemap/servemap/internal/publish/files"
	"github.com/servemap/servemap/internal/schema/changelog"
)

// Numbers returns the numbers of a site now, for Prometheus. hints is how many were given. A metric without series
// still has its name and help text, so that readers see that it exists.
func Numbers(x *indexer.Indexer, f *files.Files, o *observe.Observer, hints int) []metrics.Family {
	l, gauge, counter := x.Stats(), metrics.Gauge, metrics.Counter
	served, answers := f.Metrics()
	var verdicts []metrics.Series
	for _, c := range l.Counts {
		verdicts = append(verdicts, metrics.One(c.Pages, "verdict", c.Verdict.String(), "reason", c.Reason.String())...)
	}
	changes := map[string]uint64{"added": l.Changes[changelog.Added], "changed": l.Changes[changelog.Changed],
		"removed": l.Changes[changelog.Removed]}
	return []metrics.Family{
		gauge("servemap_build_info", "The version of servemap, as a label of the constant 1.",
			metrics.One(1, "version", metrics.Version())),
		gauge("servemap_pages", "Locations that are known now, by verdict and reason; soon after the start some may be "+
			"missing.", verdicts),
		gauge("servemap_sitemap_pages", "Pages in the sitemap that is served now.", metrics.One(served.Pages)),
		gauge("servemap_sitemap_dated_pages", "Pages of the files made since the start that have a lastmod.",
			metrics.One(served.Dated)),
		gauge("servemap_sitemap_files", "Files of the sitemap that is served now.", metrics.One(served.Files)),
		gauge("servemap_sitemap_bytes", "Size of these files before compression.", metrics.One(served.Bytes)),
		gauge("servemap_sitemap_damaged_entries", "Entries of these files that could not be read from the store.",
			metrics.One(served.Damaged)),
		gauge("servemap_sitemap_rendered_timestamp_seconds", "When files of the sitemap were last made.",
			metrics.When(served.Rendered)),
		counter("servemap_sitemap_requests_total", "Answers to requests for files of the sitemap, by status code.",
			metrics.Each("code", answers)),
		counter("servemap_observations_total", "Responses that showed something of a page.", metrics.One(l.Observations)),
		counter("servemap_observations_dropped_total", "Observations that were lost because too many came at once.",
			metrics.One(l.Dropped)),
		gauge("servemap_queue_length", "Observations that wait to be merged.", metrics.One(l.Queued)),
		counter("servemap_responses_ignored_total",
			"Responses that were observed and showed nothing of a public page, by reason.", metrics.Each("reason", o.Counts())),
		counter("servemap_changes_total", "Pages that this process has added to the sitemap, found changed or removed.",
			metrics.Each("kind", changes)),
		gauge("servemap_changelog_bytes", "Size of what is remembered of changes, when it was last bounded by this "+
			"process; at most 128 MiB remain.", metrics.One(l.Changelog)),
		gauge("servemap_store_up", "Whether the store can be used: 1 if it can.", metrics.Whether(l.Problem == nil)),
		counter("servemap_records_damaged_total", "Records of the store that could not be read.", metrics.One(l.Damaged)),
		gauge("servemap_hints", "Hints that were given: what keeps the site from being learned.", metrics.One(hints)),
		gauge("servemap_broken_links", "Addresses that listed pages link to and that last answered 404, 410 or an error, "+
			"as far as known since the start.", metrics.One(x.Links.Broken())),
		counter("servemap_worker_seconds_total", "Time for which the worker was at work.", metrics.One(l.Worked.Seconds())),
		counter("servemap_explore_requests_total", "Requests that the site made itself, to explore or to look at a page, by result.",
			metrics.Each("result", o.Own.Results())),
	}
}
