package metrics

import "time"

// Notify has the numbers of a notifier.
type Notify struct {
	Origin           string
	Waiting, Dropped int // pages
	Engines          []Engine
	Google           *Google // nil without Search Console
}

// Engine has the numbers of an endpoint of IndexNow. All processes that share a store count together.
type Engine struct {
	Host          string
	Sent, Refused uint64    // pages that it accepted, and posts that it did not
	Accepted      time.Time // when it last accepted a post, the zero Time for never
}

// Google has what Search Console says of the sitemap's top files.
type Google struct {
	Up                          bool // it could be asked
	Errors, Warnings, Submitted int
	Downloaded                  time.Time
}

// Text returns the metrics of a notifier in the format of [Text].
func (n Notify) Text() []byte {
	var sent, refused, accepted []series
	for _, e := range n.Engines {
		sent = append(sent, series{[]string{"engine", e.Host}, float64(e.Sent)})
		refused = append(refused, series{[]string{"engine", e.Host}, float64(e.Refused)})
		accepted = append(accepted, when(e.Accepted, "engine", e.Host)...)
	}
	all := []family{
		{"servemap_indexnow_pages_sent_total", counter, "Pages that an engine accepted, of all processes that share the store.", sent},
		{"servemap_indexnow_posts_refused_total", counter, "Posts that an engine did not accept.", refused},
		{"servemap_indexnow_accepted_timestamp_seconds", gauge, "When an engine last accepted a post.", accepted},
		{"servemap_indexnow_pages_waiting", gauge, "Pages that wait to be sent.", one(n.Waiting)},
		{"servemap_indexnow_pages_dropped_total", counter, "Pages that were not sent because too many changed at once.", one(n.Dropped)},
	}
	if g := n.Google; g != nil {
		up := 0
		if g.Up {
			up = 1
		}
		all = append(all, []family{
			{"servemap_google_up", gauge, "Whether Search Console could be asked: 1 if it could.", one(up)},
			{"servemap_google_sitemap_errors", gauge, "Errors that Google found in the sitemap.", one(g.Errors)},
			{"servemap_google_sitemap_warnings", gauge, "Warnings of Google about the sitemap.", one(g.Warnings)},
			{"servemap_google_sitemap_pages", gauge, "Pages of the sitemap when Google last downloaded it.", one(g.Submitted)},
			{"servemap_google_sitemap_downloaded_timestamp_seconds", gauge, "When Google last downloaded the sitemap.", when(g.Downloaded)},
		}...)
	}
	return text(n.Origin, all)
}
