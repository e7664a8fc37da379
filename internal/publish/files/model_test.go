package files

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/servemap/servemap/internal/schema/extension"
	"github.com/servemap/servemap/internal/schema/shards"
	"github.com/servemap/servemap/internal/schema/txn"
)

// model is what the files must show.
type model struct {
	*shelf
	r       *rand.Rand
	pages   map[string]shards.Entry
	part    map[string]int // of pages that are or were listed
	touched map[int]bool   // shards with a changed entry
}

func newModel(t *testing.T, seed uint64) *model {
	m := &model{
		shelf: newShelf(t, func(c *Config) { c.Extensions = extension.Of(extension.Images, extension.Alternates) }), r: rand.New(rand.NewPCG(seed, 0)),
		pages: map[string]shards.Entry{}, part: map[string]int{}, touched: map[int]bool{},
	}
	m.layout.MaxURLs, m.layout.MaxBytes = 8, modelBytes
	return m
}

// modelBytes is the most bytes of a file: too few for many images.
const modelBytes = 4 << 10

// entry returns an entry with a date, and often with images or an alternate.
func (m *model) entry() shards.Entry {
	e := changedAt(1 + m.r.Int64N(900_000_000))
	switch n := m.r.IntN(6); {
	case n < 2:
		one := fmt.Sprintf("<image:image><image:loc>https://example.com/?%s</image:loc></image:image>", strings.Repeat("&amp;", m.r.IntN(100)))
		e.Extensions = extension.Values{extension.Images: []byte(strings.Repeat(one, n+1))}
	case n == 2:
		e.Extensions = inLanguages("de=/de", "en=/en")
	}
	return e
}

// any returns one of the listed pages, "" if there is none.
func (m *model) any() string {
	all := slices.Sorted(maps.Keys(m.pages))
	if len(all) == 0 {
		return ""
	}
	return all[m.r.IntN(len(all))]
}

func (m *model) add(tx txn.Records) {
	location := fmt.Sprintf("/%d/%s", m.r.IntN(400), strings.Repeat("&", m.r.IntN(4)))
	if _, listed := m.pages[location]; listed {
		return
	}
	e := m.entry()
	m.part[location] = m.layout.Add(tx, m.part[location], location, e)
	m.layout.Filling = max(m.layout.Filling, m.part[location])
	m.pages[location] = e
	m.touched[m.part[location]] = true
}

func (m *model) change(tx txn.Records) {
	if location := m.any(); location != "" {
		e := m.entry()
		m.pages[location] = e
		if m.layout.Set(tx, m.part[location], location, e) {
			m.touched[m.part[location]] = true
			if m.layout.Over(tx, m.part[location]) {
				m.part[location] = m.layout.Move(tx, m.part[location], location)
			}
			m.touched[m.part[location]] = true
		}
	}
}

func (m *model) remove(tx txn.Records) {
	if location := m.any(); location != "" {
		m.layout.Remove(tx, m.part[location], location)
		delete(m.pages, location)
		m.touched[m.part[location]] = true
		m.files.Withdraw(location, time.Now())
		if m.r.IntN(2) == 0 {
			m.tags() // somebody asks before the store has the verdict
		}
		m.files.Settle(location, m.part[location], time.Now())
	}
}

// limit sets another limit of pages, and moves what is beyond it.
func (m *model) limit() {
	m.layout.MaxURLs = 4 + m.r.IntN(8)
	m.write(func(tx txn.Records) {
		for location := range m.pages {
			before := m.part[location]
			if !m.layout.Over(tx, before) {
				continue
			}
			if to := m.layout.Move(tx, before, location); to != before {
				m.part[location] = to
				m.touched[before], m.touched[to] = true, true
			}
		}
	})
}

// step does a few random things and renders the files.
func (m *model) step() {
	m.write(func(tx txn.Records) {
		for range 1 + m.r.IntN(4) {
			switch n := m.r.IntN(10); {
			case n < 4:
				m.add(tx)
			case n < 7:
				m.change(tx)
			default:
				m.remove(tx)
			}
		}
	})
	switch n := m.r.IntN(100); {
	case n < 3:
		m.limit()
	case n < 8:
		m.again()
	}
	m.files.Changed(slices.Collect(maps.Keys(m.touched))...)
	time.Sleep(time.Second)
	if m.r.IntN(3) > 0 { // else who asks comes first
		m.render()
	}
}

// tags returns the entity tags of the shards that the index names.
func (m *model) tags() map[string]string {
	tags := map[string]string{}
	for _, name := range m.shardNames() {
		tags[name] = m.get(name).Header().Get("Etag")
	}
	return tags
}

func (m *model) shardNames() []string {
	w := m.get("sitemap.xml")
	if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "<sitemapindex") {
		return nil
	}
	names := locs(m.TB, w.Body.Bytes())
	for i := range names {
		names[i] = strings.TrimPrefix(names[i], "/")
	}
	return names
}

// check compares the files with the model, and the files that changed with those that had
// to change.
func (m *model) check(before map[string]string) (after map[string]string) {
	m.Helper()
	after = m.tags()
	var listed []string
	names := m.shardNames()
	if len(names) == 0 && len(m.pages) > 0 {
		names = []string{"sitemap.xml"}
	}
	for _, name := range names {
		w := m.get(name)
		urls := locs(m.TB, w.Body.Bytes())
		if w.Code != http.StatusOK || len(urls) == 0 || len(urls) > 11 {
			m.Errorf("%s: status %d, %d pages", name, w.Code, len(urls))
		}
		if w.Body.Len() > modelBytes {
			m.Errorf("%s has %d bytes, at most %d are allowed", name, w.Body.Len(), modelBytes)
		}
		listed = append(listed, urls...)
		for _, u := range urls {
			lastmod := m.pages[u].At.Time().UTC().Format("<lastmod>2006-01-02T15:04:05Z")
			if !strings.Contains(w.Body.String(), strings.ReplaceAll(u, "&", "&amp;")+"</loc>"+lastmod) {
				m.Errorf("%s does not list %s with %s", name, u, lastmod)
			}
			_, entry, _ := strings.Cut(w.Body.String(), strings.ReplaceAll(u, "&", "&amp;")+"</loc>")
			entry, _, _ = strings.Cut(entry, "</url>")
			x := m.pages[u].Extensions
			wantImages, wantLinks := strings.Count(string(x[extension.Images]), "<image:loc>"), len(x.Alternates())
			if images, links := strings.Count(entry, "<image:loc>"), strings.Count(entry, "<xhtml:link"); images != wantImages || links != wantLinks {
				m.Errorf("%s has %s with %d images and %d links, want %+v", name, u, images, links, x)
			}
		}
	}
	slices.Sort(listed)
	if want := slices.Sorted(maps.Keys(m.pages)); !slices.Equal(listed, want) {
		m.Fatalf("listed are\n%q, want\n%q", listed, want)
	}
	for name, tag := range after {
		var n int
		_, _ = fmt.Sscanf(name, "sitemap-%d.xml", &n)
		if before[name] != "" && tag != before[name] && !m.touched[n] {
			m.Errorf("%s became another file, although none of its pages did", name)
		}
	}
	return after
}

func TestFilesFollowTheModel(t *testing.T) {
	steps := 400
	if testing.Short() {
		steps = 40
	}
	for seed := range uint64(2) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := newModel(t, seed)
				var tags map[string]string
				for range steps {
					m.step()
					m.render()
					tags = m.check(tags)
					clear(m.touched)
				}
			})
		})
	}
}
