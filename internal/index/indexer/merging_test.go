package indexer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/index/observation"
	"github.com/servemap/servemap/internal/page/response"
	"github.com/servemap/servemap/internal/schema/pagerecord"
	"github.com/servemap/servemap/internal/schema/secret"
	"github.com/servemap/servemap/internal/testkit/base"
	"github.com/servemap/servemap/internal/testkit/strict"
	"github.com/servemap/servemap/store"
	"github.com/servemap/servemap/store/memstore"
)

// visitors visit a small site on which all kinds of things happen.
type visitors struct {
	*rand.Rand
	doubtful bool // some observations only put a page in doubt, and several pages show one text
}

// observations returns what is seen at a time.
func (v visitors) observations(n int, now time.Time) (all []*observation.Observation) {
	for i := range n {
		s := v.observation(v.location())
		s.At = now.Add(time.Duration(i) * time.Millisecond)
		all = append(all, s)
	}
	return all
}

// kinds returns how many kinds of things happen: the certain ones, and all.
func (v visitors) kinds(certain, all int) int {
	if v.doubtful {
		return all
	}
	return certain
}

func (v visitors) location() string {
	switch n := v.IntN(40); {
	case n == 0:
		return "/"
	case n == 1:
		return "/share/9b2f6c1de07a4f8358c2"
	case n < 4:
		return fmt.Sprintf("/news/invite-%d", n)
	default:
		return fmt.Sprintf("/%s/%d", []string{"news", "shop"}[n%2], n)
	}
}

func (v visitors) observation(location string) *observation.Observation {
	s := seen(location, v.body(location))
	switch v.IntN(12) {
	case 0:
		s.Response = &response.Response{Status: []int{410, 410, 404, 403}[v.IntN(v.kinds(2, 4))], Complete: true}
	case 1:
		s.Response = &response.Response{Status: []int{301, 302}[v.IntN(2)], Complete: true,
			Header: response.Header{Location: v.location()}}
	case 2:
		lastModified(time.Now().Add(-time.Duration(v.IntN(3)) * time.Hour))(s)
	case 3:
		route(location, true)(s)
	}
	s.Kind, s.Reason = eligibility.Rules{}.Response(location, s.Response)
	return s
}

func (v visitors) body(location string) string {
	if v.IntN(3) == 0 {
		return html("the home of " + location) // as at the last observation, or at the first
	}
	var head, links strings.Builder
	switch v.IntN(v.kinds(13, 14)) {
	case 0:
		head.WriteString(`<meta name=robots content=noindex>`)
	case 2:
		fmt.Fprintf(&head, `<link rel=canonical href=%q>`, location)
	case 3:
		fmt.Fprintf(&head, `<link rel=alternate hreflang=de href=%q><link rel=alternate hreflang=en href=%q>`, v.location(),
			location)
	case 4:
		head.WriteString(`<meta name=robots content=nofollow>`)
	case 13:
		fmt.Fprintf(&head, `<link rel=canonical href=%q>`, v.location())
	}
	for range v.IntN(12) {
		fmt.Fprintf(&links, `<a href=%q>x</a>`, v.location())
	}
	text := fmt.Sprintf("one of nine texts, which is this one: %d, and which is long enough to tell pages apart by it",
		v.IntN(9))
	if !v.doubtful {
		text += " at " + location
	}
	return "<!doctype html><html><head><title>t</title>" + head.String() + "</head><body><main><p>" + text + "</p>" +
		links.String() + "</main></body></html>"
}

// learn feeds the traffic of a seed to an indexer over st, a few observations at a time, and
// returns the records of the pages. The secret is the same each time, since hashes are
// compared.
func learn(t *testing.T, st store.Store, seed uint64, doubtful bool, offer func(r *rig,
	all []*observation.Observation)) (records map[string]string) {
	cfg := Config{Store: st, MaxURLs: 7}
	if !doubtful {
		var err error
		cfg.Settings.Rules, err = eligibility.NewRules([]eligibility.Rule{{Pattern: "/", Listing: eligibility.Always}})
		base.Check(t, err)
	}
	inBubble(t, cfg, func(r *rig) {
		r.stop() // and forget what was made without the secret
		r.put("https://example.com|site", secret.Key("a secret that is no secret at all"[:32]).Encode())
		r.start()
		r.flush()
		visits := visitors{rand.New(rand.NewPCG(seed, 1)), doubtful}
		for range 12 {
			offer(r, visits.observations(1+visits.IntN(90), time.Now()))
			r.wait(time.Duration(1+visits.IntN(20)) * time.Hour / 4)
			r.flush() // for what the rendering found
		}
		records = r.dump()
		// when files are rendered is a matter of luck, and the days count what is in them
		maps.DeleteFunc(records, func(key, _ string) bool {
			return strings.HasSuffix(key, "|days")
		})
		if n := r.indexer.Stats().Dropped; n > 0 {
			t.Errorf("seed %d: %d observations were dropped", seed, n)
		}
		if n := r.files.Listed(); n < 5 {
			t.Errorf("seed %d: only %d pages are listed, which shows little", seed, n)
		}
	})
	return records
}

// together merges everything at once.
func together(r *rig, all []*observation.Observation) { r.check(r.mergeNow(all...)) }

// differences returns the keys of the records that differ.
func differences(got, want map[string]string) (keys []string) {
	for key := range want {
		if got[key] != want[key] {
			keys = append(keys, key)
		}
	}
	for key := range got {
		if _, ok := want[key]; !ok {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}

func TestBatchesStoreTheSameInOneTransactionOrMany(t *testing.T) {
	base.OneByOne(t)
	for seed := range uint64(6) {
		want := learn(t, new(memstore.Store), seed, true, together)
		if keys := differences(learn(t, strict.New(t, new(memstore.Store)), seed, true, together), want); len(keys) > 0 {
			t.Errorf("seed %d: where each update runs twice these records are others: %q", seed, keys)
		}
		few, refused := base.NewStore(), 0
		few.OnUpdate(func(ctx context.Context, keys []string, fn func([][]byte) error) error {
			if len(keys) > 100 {
				refused++
				return fmt.Errorf("%w: %d keys", store.ErrInvalid, len(keys))
			}
			return few.Store.Update(ctx, keys, fn)
		})
		if keys := differences(placeless(learn(t, few, seed, true, together)), placeless(want)); len(keys) > 0 {
			t.Errorf("seed %d: with few keys at once these records are others: %q", seed, keys)
		}
		if refused == 0 {
			t.Error("nothing was refused, so this shows nothing")
		}
	}
}

// placeless returns records without the values that depend on which pages were merged
// together: the page's part, and how often the part changed.
func placeless(records map[string]string) map[string]string {
	without := map[string]string{}
	for key, value := range records {
		kind, rest, _ := strings.Cut(strings.TrimPrefix(key, "https://example.com|"), "|")
		switch kind {
		case "shard":
			continue
		case "list":
			_, location, _ := strings.Cut(rest, "|")
			key = "list|" + location
		case "log":
			value = "" // a page that leaves and comes back in one transaction has no event of that
		case "page":
			p, err := pagerecord.Decode([]byte(value))
			if err != nil {
				break
			}
			p.Shard = 0
			value = string(p.Encode())
		}
		without[key] = value
	}
	return without
}

// An observation that is merged again meets what later ones of its batch have changed: links, and other pages with its
// text. So a rule lists all pages, each has texts of its own, and no observation only puts a page in doubt.
func TestVisitWhoseAnswerIsLostCountsOnce(t *testing.T) {
	base.OneByOne(t)
	for seed := range uint64(3) {
		want := learn(t, new(memstore.Store), seed, false, together)
		st := base.NewStore()
		got := learn(t, st, seed, false, func(r *rig, all []*observation.Observation) {
			luck := rand.New(rand.NewPCG(seed, 2))
			st.OnUpdate(func(ctx context.Context, keys []string, fn func([][]byte) error) error {
				err := st.Store.Update(ctx, keys, fn)
				if luck.IntN(2) == 0 {
					err = errors.Join(err, errors.New("the answer is lost"))
				}
				return err
			})
			for err := r.mergeNow(all...); err != nil; err = r.mergeNow() {
			}
			st.Mend()
			r.flush()
		})
		countsOnly(got)
		countsOnly(want)
		if keys := differences(got, want); len(keys) > 0 {
			t.Errorf("seed %d: after lost answers others are counted: %q: %q, else %q", seed, keys, got[keys[0]], want[keys[0]])
		}
	}
}

// A page that is read again would teach the boilerplate twice.
func TestPageIsReadOnceThoughItIsNotStoredAtOnce(t *testing.T) {
	var learned [][]byte
	for _, failures := range []int{0, 3} {
		st := base.NewStore()
		inBubble(t, Config{Store: st}, func(r *rig) {
			r.crawl("/b")
			st.OnUpdate(func(ctx context.Context, keys []string, fn func([][]byte) error) error {
				if failures--; failures >= 0 {
					return errors.New("the disk is full")
				}
				return st.Store.Update(ctx, keys, fn)
			})
			for err := r.mergeNow(sightAll(numbered("/p%d", 3), "a text")...); err != nil; err = r.mergeNow() {
			}
			learned = append(learned, r.indexer.site.Boilerplate.AppendBinary(nil))
		})
	}
	if !bytes.Equal(learned[0], learned[1]) {
		t.Error("the boilerplate is another one after failures")
	}
}

// sightAll is an observation of each location, with a text of its own.
func sightAll(locations []string, text string) (all []*observation.Observation) {
	for _, l := range locations {
		all = append(all, seen(l, html(text+" of "+l+", which says something that no other page says")))
	}
	return all
}

func TestPagesThatWaitTogetherTakeFewTransactions(t *testing.T) {
	st, updates := base.NewStore(), 0
	st.OnUpdate(func(ctx context.Context, keys []string, fn func([][]byte) error) error {
		if slices.ContainsFunc(keys, func(key string) bool { return strings.Contains(key, "|page|") }) {
			updates++
		}
		return st.Store.Update(ctx, keys, fn)
	})
	inBubble(t, Config{Store: st}, func(r *rig) {
		pages := numbered("/page-%d", 100)
		r.sight("/", html("home", pages...))
		for _, tt := range []struct {
			locations []string
			most      int
		}{{pages, 3}, {pages[:1], 1}} {
			r.check(r.indexer.call(r.Context(), func(ctx context.Context) error {
				updates = 0
				r.offer(sightAll(tt.locations, fmt.Sprint("text ", tt.most))...)
				return r.indexer.merging.run(ctx, true)
			}))
			if updates > tt.most {
				t.Errorf("%d pages took %d updates of the store, want at most %d", len(tt.locations), updates, tt.most)
			}
			time.Sleep(time.Hour)
		}
		r.flush()
		r.wantListed(append(pages, "/")...)
	})
}

// Where a box of related pages shows another link, the store is asked whether that leads to a new page. It takes 1,000
// keys at once, and a page of more links has still seen its visitors.
func TestPageWithVeryManyLinksIsSeenThoughItsRelatedPagesChange(t *testing.T) {
	var prose strings.Builder
	for i, to := range numbered("/source-%d", 600) {
		fmt.Fprintf(&prose, "<p>What is said here, %d, is a claim that <a href=%s>another page</a> makes at more length.</p>",
			i, to)
	}
	article := func(related string) string {
		return "<html><body><main>" + prose.String() + "<ul><li><a href=/always>The page that is always related</a></li>" +
			"<li><a href=/" + related + ">The " + related + " page that is related</a></li></ul></main></body></html>"
	}
	withPage(t, func(r *rig) {
		for range 7 {
			r.sight("/a", article("first"))
			time.Sleep(time.Hour)
		}
		r.sight("/a", article("second"))
		base.Equal(t, r.page("/a").Observations, 9, "observations of /a")
	})
}

// countsOnly leaves the numbers of observations and of changes of each page.
func countsOnly(records map[string]string) {
	for key, value := range records {
		s, err := pagerecord.Decode([]byte(value))
		if !strings.Contains(key, "|page|") || err != nil {
			delete(records, key)
			continue
		}
		records[key] = fmt.Sprint(s.Observations, " observations, ", s.Dates.Count, " changes")
	}
}

// The noindex is at the end of a long page of which only the head is read at first.
func TestObservationOfTheHeadAloneKeepsANoindex(t *testing.T) {
	withPage(t, func(r *rig) {
		body := func(word string) string {
			text := strings.Repeat("<p>"+word+" is said on this page, and said again.</p>", 500)
			return `<html><head><title>t</title></head><body><main>` + text +
				`</main><meta name=robots content=noindex></body></html>`
		}
		r.sight("/a", body("One thing"))
		r.wantVerdict("/a", eligibility.Excluded, eligibility.NoIndex)
		time.Sleep(time.Hour)
		r.indexer.merging.budget.Pay(int64(time.Hour))
		r.affords(seen("/a", body("Another thing")))
		r.wantVerdict("/a", eligibility.Excluded, eligibility.NoIndex)
	})
}

// Another process stores an observation of the same page between the first run of a transaction
// and the run that is stored.
func TestObservationIsComparedWithTheOneThatIsStored(t *testing.T) {
	for _, tt := range []struct {
		name      string
		rehearsed bool
		see       func(r *rig, at func(*observation.Observation))
		verdict   eligibility.Verdict
		reason    eligibility.Reason
	}{
		{"an observation of the head, after noindex was taken back", true, func(r *rig, at func(*observation.Observation)) {
			r.indexer.merging.budget.Pay(int64(time.Hour))
			r.affords(seen("/a", html("a, which says something else by now"), at))
		}, eligibility.Listed, eligibility.ByLink},
		{"the bytes of the observation before", false,
			func(r *rig, at func(*observation.Observation)) { r.sight("/a", noindexPage, at) }, eligibility.Excluded,
			eligibility.NoIndex},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				st := base.NewStore()
				one := newRig(t, st, Config{RefreshEvery: refreshEvery})
				two := newRig(t, st.Store, Config{RefreshEvery: refreshEvery})
				defer func() { one.stop(); two.stop() }()
				one.crawl("/a")
				one.sight("/a", noindexPage)
				one.wantVerdict("/a", eligibility.Excluded, eligibility.NoIndex)
				met := false
				st.OnUpdateOf("|page|/a", func(ctx context.Context, keys []string, fn func([][]byte) error) error {
					met = true
					st.Mend()
					if tt.rehearsed {
						st.Rehearse(ctx, keys, fn)
					}
					two.sight("/a", html("a, which may be listed again"))
					two.wantVerdict("/a", eligibility.Listed, eligibility.ByLink)
					return st.Store.Update(ctx, keys, fn)
				})
				tt.see(one, func(s *observation.Observation) { s.At = s.At.Add(5 * time.Second) }) // it is the last observation
				one.flush()
				if !met {
					t.Error("the observations did not meet")
				}
				base.Equal(t, one.page("/a").Observations, 4, "observations of /a")
				one.wantVerdict("/a", tt.verdict, tt.reason)
				if got := one.files.Lists("/a"); got != (tt.verdict == eligibility.Listed) {
					t.Errorf("/a is in the files: %v", got)
				}
			})
		})
	}
}
