package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/servemap/servemap/internal/eval/kit"
)

const (
	soakSections = 20
	soakRoamers  = 2
	soakClients  = 8 // of wrk
	quiet        = 15 * time.Second
)

// clockSteps are the errors of the clock, in seconds.
var clockSteps = []int{-10 * 365 * 86400, -30 * 86400, -3600, 3600, 30 * 86400, 10 * 365 * 86400}

// weather is a site in another process. It is visited all the time, while things go wrong
// one after the other.
type weather struct {
	site     *child
	visitors *visitors
	rng      *rand.Rand

	moods, restarts, steps int
}

// soak visits a site for a long time, by a load generator and by visitors who check each
// answer. Meanwhile its store misbehaves, it restarts, and its clock is set wrong.
func soak(ctx context.Context, cfg *config) (line string, err error) {
	if _, err := exec.LookPath("wrk"); err != nil {
		return "", fmt.Errorf("%w: the soak wants wrk", errForbidden)
	}
	program, err := buildStepped(ctx, cfg.work)
	if err != nil {
		return "", err
	}
	w := &weather{visitors: newVisitors(), rng: rand.New(rand.NewPCG(cfg.seed, 99))}
	w.site, err = launch{program: program, dir: filepath.Join(cfg.work, "store"), pages: newFates(soakSections), moods: true}.start(ctx)
	if err != nil {
		return "", err
	}
	defer func() {
		if err != nil {
			log := w.site.log.String()
			err = fmt.Errorf("%w\n%s", err, log[max(0, len(log)-4000):])
		}
		err = errors.Join(err, w.site.Stop())
	}()
	if err := w.learn(); err != nil {
		return "", err
	}
	begin, err := w.footprint()
	if err != nil {
		return "", err
	}
	loaded, err := w.storm(ctx, cfg.minutes)
	if err == nil {
		err = w.learn()
	}
	end, endErr := w.footprint()
	return fmt.Sprintf("%d requests by wrk, and of those compared %s; %d times the store misbehaved, %d restarts, %d wrong clocks; %s at the start, %s in the end",
		loaded.Requests, w.visitors.counts(), w.moods, w.restarts, w.steps, begin, end), errors.Join(err, endErr, w.visitors.firstFailure())
}

// learn visits all pages until all that may be listed are.
func (w *weather) learn() error {
	var failure error
	_, err := kit.Until(2*time.Minute, "all pages are listed", func() bool {
		w.visitors.walk(w.site.public, 0, soakSections)
		if failure = w.site.order("flush"); failure != nil {
			return false
		}
		var listed map[string]bool
		listed, failure = w.visitors.sitemap(w.site.public)
		return failure == nil && len(listed) == 1+soakSections*(sectionPages+1)
	})
	return errors.Join(err, failure)
}

// storm makes things go wrong, one after the other, under the load of wrk and visitors. It
// returns the counts of wrk.
func (w *weather) storm(ctx context.Context, minutes int) (loaded kit.Loaded, err error) {
	running, end := context.WithTimeout(ctx, time.Duration(minutes)*time.Minute)
	defer end()
	stop := w.visitors.roam(w.site.public, soakSections, soakRoamers, 0, rand.New(rand.NewPCG(0, 7)))
	var loading sync.WaitGroup
	var failed error
	loading.Go(func() {
		loaded, failed = kit.Load{Seconds: 60 * minutes, Connections: soakClients, Script: fmt.Sprintf(
			"request = function() return wrk.format(nil, \"/s\" .. math.random(0, %d) .. \"/p\" .. math.random(0, %d)) end\n",
			soakSections-1, sectionPages-1)}.Run(ctx, w.site.public)
	})
	for running.Err() == nil && err == nil {
		err = w.mishap(running)
	}
	stop()
	loading.Wait()
	return loaded, errors.Join(err, failed)
}

// mishap makes one thing go wrong for some seconds, and then nothing for some seconds.
func (w *weather) mishap(ctx context.Context) (err error) {
	pause := func() { _ = kit.Sleep(ctx, time.Duration(w.rng.Int64N(int64(quiet)))) }
	switch w.rng.IntN(3) {
	case 0:
		w.moods++
		err = w.site.order("mood", "be", strconv.Itoa(1+w.rng.IntN(int(moods)-1)))
		pause()
		err = errors.Join(err, w.site.order("mood", "be", strconv.Itoa(int(well))))
	case 1:
		w.restarts++
		err = w.site.order("restart")
	case 2:
		w.steps++
		err = w.site.order("step", "by", strconv.Itoa(clockSteps[w.rng.IntN(len(clockSteps))]))
		pause()
		err = errors.Join(err, w.site.order("step", "by", "0"))
	}
	pause()
	return err
}

// footprint is what the site's process uses once visits have ended.
func (w *weather) footprint() (string, error) {
	s, err := w.site.rest(w.visitors)
	return fmt.Sprintf("%d MB of heap, %d MB of anonymous memory and %d goroutines", s.Usage.Heap>>20, s.Usage.Anonymous>>20, s.Goroutines), err
}
