package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	soakSections = 20
	soakRoamers  = 2
	soakClients  = 8 // of wrk
	quiet        = 15 * time.Second
)

// steps are by how many seconds the clock is set wrong.
var clockSteps = []int{-10 * 365 * 86400, -30 * 86400, -3600, 3600, 30 * 86400, 10 * 365 * 86400}

// weather is a site in a process of its own that is visited all the time, while all that may go wrong does.
type weather struct {
	site     *child
	visitors *visitors
	rng      *rand.Rand
	sections int

	moods, restarts, steps int
}

// soak has a site visited for long, by a load generator and by visitors who compare what they get, while its store misbehaves, it
// restarts, and its clock is set wrong.
func soak(ctx context.Context, cfg *config) (line string, err error) {
	generator, err := exec.LookPath("wrk")
	if err != nil {
		return "", fmt.Errorf("%w: the soak wants wrk", errForbidden)
	}
	program, err := buildStepped(ctx, cfg.work)
	if err != nil {
		return "", err
	}
	w := &weather{visitors: newVisitors(), rng: rand.New(rand.NewPCG(cfg.seed, 99)), sections: soakSections}
	w.site, err = launch{
		program: program, dir: filepath.Join(cfg.work, "store"), state: &fates{Of: map[string]fate{}, Sections: soakSections}, moods: true,
	}.start(ctx)
	if err != nil {
		return "", err
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("%w\n%s", err, tail(w.site.log.String(), 4000))
		}
		err = errors.Join(err, w.site.stop())
	}()
	if err := w.learn(); err != nil {
		return "", err
	}
	begin, err := w.footprint()
	if err != nil {
		return "", err
	}
	generated, err := w.storm(ctx, generator, time.Duration(cfg.minutes)*time.Minute, cfg.work)
	if err == nil {
		err = w.learn()
	}
	end, endErr := w.footprint()
	return fmt.Sprintf("%s by wrk, %d of %d compared ones failed; %d times the store misbehaved, %d restarts, %d wrong clocks; %s at the start, %s in the end",
		generated, w.visitors.failed.Load(), w.visitors.requests.Load(), w.moods, w.restarts, w.steps, begin, end), errors.Join(err, endErr, w.visitors.firstFailure())
}

// learn visits all pages until all are listed, and none that must not be.
func (w *weather) learn() error {
	var failure error
	_, err := until(2*time.Minute, "all pages are listed", func() bool {
		w.visitors.walk(w.site.public, 0, w.sections)
		if failure = w.site.order("flush"); failure != nil {
			return false
		}
		listed, err := w.visitors.sitemap(w.site.public)
		failure = errors.Join(err, neverListed(listed))
		return failure == nil && len(listed) == 1+w.sections*(sectionPages+1)
	})
	return errors.Join(err, failure)
}

// storm breaks one thing after the other while wrk and visitors are at work. It returns what wrk counted.
func (w *weather) storm(ctx context.Context, generator string, length time.Duration, folder string) (generated string, err error) {
	script := filepath.Join(folder, "pages.lua")
	if err := os.WriteFile(script, []byte(randomPages(w.sections)), 0o600); err != nil {
		return "", err
	}
	running, stop := context.WithTimeout(ctx, length)
	defer stop()
	var visiting sync.WaitGroup
	for i := range soakRoamers {
		rng := rand.New(rand.NewPCG(uint64(i), 7))
		visiting.Go(func() { w.visitors.roam(running, w.site.public, w.sections, rng) })
	}
	var out []byte
	var wrkErr error
	visiting.Go(func() {
		out, wrkErr = exec.CommandContext(ctx, generator, "-t", "1", "-c", fmt.Sprint(soakClients), "-d", fmt.Sprintf("%ds", int(length.Seconds())),
			"--timeout", "10s", "-s", script, "http://"+w.site.public).CombinedOutput()
	})
	for running.Err() == nil && err == nil {
		err = w.mishap(running)
	}
	visiting.Wait()
	if wrkErr != nil {
		return "", errors.Join(err, fmt.Errorf("wrk: %w\n%s", wrkErr, out))
	}
	generated, failed := counted(string(out))
	return generated, errors.Join(err, failed)
}

// randomPages is a script for wrk by which it asks for the pages at random.
func randomPages(sections int) string {
	return fmt.Sprintf("request = function() return wrk.format(nil, \"/s\" .. math.random(0, %d) .. \"/p\" .. math.random(0, %d)) end\n",
		sections-1, sectionPages-1)
}

var wrkRequests = regexp.MustCompile(`(\d+) requests in`)

// counted reads what wrk prints.
func counted(out string) (generated string, failed error) {
	m := wrkRequests.FindStringSubmatch(out)
	if m == nil {
		return "", fmt.Errorf("wrk said %s", out)
	}
	for _, bad := range []string{"Socket errors", "Non-2xx"} {
		if strings.Contains(out, bad) {
			failed = errors.Join(failed, fmt.Errorf("wrk said %s", out))
		}
	}
	return m[1] + " requests", failed
}

// mishap is one thing that goes wrong for some seconds, and some seconds in which nothing does.
func (w *weather) mishap(ctx context.Context) (err error) {
	switch w.rng.IntN(3) {
	case 0:
		w.moods++
		err = w.site.order("mood", "be", fmt.Sprint(1+w.rng.IntN(int(moods)-1)))
		pause(ctx, w.rng)
		err = errors.Join(err, w.site.order("mood", "be", fmt.Sprint(int(well))))
	case 1:
		w.restarts++
		err = w.site.order("restart")
	case 2:
		w.steps++
		err = w.site.order("step", "by", strconv.Itoa(clockSteps[w.rng.IntN(len(clockSteps))]))
		pause(ctx, w.rng)
		err = errors.Join(err, w.site.order("step", "by", "0"))
	}
	pause(ctx, w.rng)
	return err
}

// pause waits for up to 15 seconds, or until ctx ends.
func pause(ctx context.Context, rng *rand.Rand) {
	select {
	case <-ctx.Done():
	case <-time.After(time.Duration(rng.Int64N(int64(quiet)))):
	}
}

// footprint is what the site's process holds once nobody visits it.
func (w *weather) footprint() (string, error) {
	w.visitors.client.CloseIdleConnections()
	if err := w.site.order("collect"); err != nil {
		return "", err
	}
	var s status
	_, err := until(20*time.Second, "connections are closed", func() bool {
		before := s.Goroutines
		var err error
		s, err = w.site.status()
		return err == nil && s.Goroutines == before
	})
	return fmt.Sprintf("%d MB of heap, %d MB of anonymous memory and %d goroutines", s.Heap>>20, s.Anonymous>>20, s.Goroutines), err
}

func tail(s string, n int) string { return s[max(0, len(s)-n):] }
