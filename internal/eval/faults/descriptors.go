package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"time"
)

// descriptorLimit is how many files the site may have open, which is what many systems allow by default.
const descriptorLimit = 1024

// hunger is a site whose descriptors are used up again and again, as by connections.
type hunger struct {
	site     *child
	visitors *visitors
	rng      *rand.Rand
	slowest  time.Duration
	refused  int // writes of the churn
}

func descriptorsGone(ctx context.Context, cfg *config) (line string, err error) {
	h := &hunger{visitors: newVisitors(), rng: rand.New(rand.NewPCG(cfg.seed, 3))}
	l := launch{
		dir:   filepath.Join(cfg.work, "store"),
		state: &fates{Of: map[string]fate{}, Sections: cfg.trials + 1}, limit: descriptorLimit,
	}
	if h.site, err = l.start(ctx); err != nil {
		return "", err
	}
	defer h.site.kill()
	trials := 0
	for ; trials < cfg.trials && err == nil; trials++ {
		if err = h.trial(trials); err != nil {
			err = fmt.Errorf("trial %d: %w\n%s", trials, err, h.site.log)
		}
	}
	return fmt.Sprintf("%d trials, alive: %t, %d floods of writes refused, %d of %d requests failed, slowest recovery %.1f s",
			trials, h.site.alive(), h.refused, h.visitors.failed.Load(), h.visitors.requests.Load(), h.slowest.Seconds()),
		errors.Join(err, h.visitors.firstFailure())
}

// trial uses up the descriptors in the middle of writes that make Badger open files, visits what was never visited, and gives the
// descriptors back.
func (h *hunger) trial(n int) error {
	h.visitors.walk(h.site.public, n, n+1)
	churned := make(chan error, 1)
	go func() { churned <- h.site.order("churn", "writes", "4000") }()
	time.Sleep(time.Duration(h.rng.IntN(150)) * time.Millisecond)
	if err := h.site.order("eat", "left", fmt.Sprint(h.rng.IntN(8))); err != nil {
		return err
	}
	if err := <-churned; err != nil {
		h.refused++
	}
	h.visitors.walk(h.site.public, n+1, n+2)
	st, err := h.site.status()
	if err != nil {
		return err
	}
	if !strings.Contains(st.Health, "open") {
		return fmt.Errorf("without descriptors the store says %q", st.Health)
	}
	if err := h.site.order("spit"); err != nil {
		return err
	}
	return h.recover(n)
}

func (h *hunger) recover(n int) error {
	took, err := until(recoveryLimit, "the store works", func() bool { return h.site.order("flush") == nil })
	h.slowest = max(h.slowest, took)
	if err != nil {
		return err
	}
	if err := h.site.order("churn", "writes", "100"); err != nil {
		return err
	}
	if err := h.site.order("verify"); err != nil {
		return err
	}
	return h.visitors.wantListed(h.site.public, (n+2)*sectionPages)
}
