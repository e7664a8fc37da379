package laws

import (
	"fmt"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/servemap/servemap/internal/eval/kit"
	"github.com/servemap/servemap/internal/testkit"
	"github.com/servemap/servemap/internal/testkit/base"
)

// trial is a case.
type trial struct {
	name, want string                              // the counts, such as "41 * <=40 40 40"
	parts      []part                              // of the program
	pages      []string                            // that visitors get
	cold       bool                                // nobody visited it before
	often      bool                                // visitors come each half an hour
	visitors   func(*world)                        // who get all pages if nil
	attack     func(*world)                        // the visitors if nil
	count      func(*world, map[string]string) int // all that is listed if nil
	tried      func(*testing.T) []int              // instead of all this, if not nil
}

var (
	// when is counted, after the beginning
	moments = []time.Duration{time.Minute, time.Hour, 24 * time.Hour, 26 * time.Hour}
	between = []time.Duration{30 * time.Minute, 6 * time.Hour, 12 * time.Hour, 18 * time.Hour, 25 * time.Hour}
)

// trials reads the cases of a class.
func trials(t *testing.T, class string) (all []trial) {
	text, err := os.ReadFile("testdata/cases.txt")
	base.Check(t, err)
	for line := range strings.Lines(string(text)) {
		row := strings.Split(strings.TrimSpace(line), " | ")
		of, what, _ := strings.Cut(row[0], "/")
		if of != class {
			continue
		}
		for subject := range strings.SplitSeq(row[1], " ; ") {
			for kind := range strings.FieldsSeq(row[2]) {
				c := makers[row[0]](subject, kind)
				c.name, c.want = strings.TrimSpace(what+" "+subject)+": "+kind, row[3]
				all = append(all, c)
			}
		}
	}
	return all
}

// run tries a case, and returns the counts before and at each moment.
func (c trial) run(t *testing.T) (counts []int) {
	if c.tried != nil {
		return c.tried(t)
	}
	if c.pages == nil {
		c.pages = append([]string{"/"}, trees...)
	}
	if c.visitors == nil {
		c.visitors = func(w *world) { w.visit(nil) }
	}
	if c.attack == nil {
		c.attack = c.visitors
	}
	if c.count == nil {
		c.count = func(_ *world, now map[string]string) int { return len(now) }
	}
	synctest.Test(t, func(t *testing.T) {
		w := &world{trial: c}
		w.Site = testkit.Start(t, testkit.Setup{Handler: http.HandlerFunc(w.program)})
		for _, pause := range []time.Duration{61 * time.Second, time.Hour, 23 * time.Hour, 24 * time.Hour, time.Hour} {
			if !c.cold {
				w.settle(w.visitors)
				time.Sleep(pause)
			}
		}
		w.began, w.before = time.Now(), w.LastMods()
		counts = append(counts, w.count(w, w.before))
		w.settle(w.attack)
		for at := time.Minute; at <= 26*time.Hour; at += time.Minute {
			if slices.Contains(moments, at) {
				time.Sleep(time.Until(w.began.Add(at + time.Second)))
				w.settle(w.attack)
				counts = append(counts, w.count(w, w.LastMods()))
			} else if slices.Contains(between, at) || w.often && at%(30*time.Minute) == 0 {
				time.Sleep(time.Until(w.began.Add(at + time.Second)))
				w.settle(w.visitors)
			}
		}
	})
	return counts
}

// settle lets requests be made. It returns when what they showed is learned, and what the site then looked at itself.
func (w *world) settle(requests func(*world)) {
	requests(w)
	w.Settle()
	time.Sleep(10 * time.Second)
	w.Settle()
}

// strange counts what is listed and no page.
func strange(w *world, now map[string]string) (n int) {
	for path := range now {
		n += kit.One(!slices.Contains(w.pages, path))
	}
	return n
}

// lost counts pages that are listed no more, or with another date.
func lost(w *world, now map[string]string) (n int) {
	for path, before := range w.before {
		date, is := now[path]
		n += kit.One(!is || date != before)
	}
	return n
}

// green reports whether counts are as wanted.
func green(counts []int, want string) bool {
	fields := strings.Fields(want)
	for i, field := range fields {
		limit, err := strconv.Atoi(strings.TrimLeft(field, "<=>"))
		if i >= len(counts) || err == nil && (counts[i] > limit && field[0] != '>' || counts[i] < limit && field[0] != '<') {
			return false
		}
	}
	return len(counts) == len(fields)
}

// TestLaws tries all cases, if -v asks for it. It prints, and judges nothing.
func TestLaws(t *testing.T) {
	if !testing.Verbose() {
		t.Skip("it prints a table, with -v")
	}
	const line = "%-8s %-80s %-25s %-24s %s\n"
	fmt.Printf(line, "class", "case", " was   1m   1h   1d  26h", "wanted", "")
	sums := ""
	for class := range strings.FieldsSeq("removal cookies robots dates listing owners fronts") {
		t.Run(class, func(t *testing.T) {
			base.FixRandom(t)
			verdicts := map[bool]int{}
			for _, c := range trials(t, class) {
				counts := c.run(t)
				well := green(counts, c.want)
				verdicts[well]++
				fmt.Printf(line, class, c.name, strings.Trim(fmt.Sprintf("%4d", counts), "[]"), c.want,
					map[bool]string{true: "green", false: "RED"}[well])
			}
			sums += fmt.Sprintf("%-8s %3d cases, %3d gave way\n", class, verdicts[true]+verdicts[false], verdicts[false])
		})
	}
	fmt.Print(sums)
}

// The rest is a measurement. These hold, one of each class.
func TestSomeCasesHold(t *testing.T) {
	base.FixRandom(t)
	for class, name := range map[string]string{"removal": "Cookie: PHPSESSID=0123456789abcdef0123456789: 410",
		"cookies": "none: private", "robots": "everybody: disallow",
		"dates": "Accept-Language: de, Vary: Accept-Language: language", "listing": "posts 5: nofollow",
		"owners": "changed 20: 410", "fronts": "401: instead"} {
		all := trials(t, class)
		c := all[slices.IndexFunc(all, func(c trial) bool { return c.name == name })]
		if counts := c.run(t); !green(counts, c.want) || green(counts, "* * * >=1000 *") {
			t.Errorf("%s, %s: counts %d, want %s", class, name, counts, c.want)
		}
	}
}
