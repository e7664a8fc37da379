package inspect

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"time"
)

// Crawlers are what search engines fetched, and what they were told.
type Crawlers struct {
	Followed bool `json:"followed"` // Options.Crawlers is set
	Crawlers any  `json:"crawlers"` // a []servemap.Crawler

	Told      *Told     `json:"told,omitempty"` // by package notify
	RobotsTxt RobotsTxt `json:"robots_txt,omitempty"`
}

func (i *Inspector) crawlers(ctx context.Context, _ url.Values) (view, error) {
	told, _, err := i.told(ctx)
	return view{Name: "crawlers", Nav: "crawlers", Title: "Engines", Data: Crawlers{i.Crawlers, i.Public.Crawlers(), told,
		i.robotsTxt()}}, err
}

// Told is the part of notify's stored Status that this page shows. It cannot be that type itself, since notify imports
// the site. A test there holds that the fields are the same.
type Told struct {
	SentToday     int       `json:"sent_today"`
	Pending       int       `json:"pending"`
	Waits         string    `json:"waits,omitempty"`
	NextSend      time.Time `json:"next_send,omitzero"`
	GoogleProblem string    `json:"google_problem,omitempty"`
	Endpoints     []struct {
		URL          string    `json:"url"`
		Verdict      string    `json:"verdict,omitempty"`
		Advice       string    `json:"advice,omitempty"`
		Code         int       `json:"code,omitempty"`
		Sent         uint64    `json:"sent,omitempty"`
		Refused      uint64    `json:"refused,omitempty"`
		LastTried    time.Time `json:"last_tried,omitzero"`
		LastAccepted time.Time `json:"last_accepted,omitzero"`
		NextTry      time.Time `json:"next_try,omitzero"`
	} `json:"endpoints"`
	Sitemaps []struct {
		URL            string    `json:"url"`
		LastSubmitted  time.Time `json:"last_submitted,omitzero"`
		LastDownloaded time.Time `json:"last_downloaded,omitzero"`
		Pending        bool      `json:"pending,omitempty"`
		Errors         int       `json:"errors"`
		Warnings       int       `json:"warnings"`
		Submitted      int       `json:"submitted"`
	} `json:"sitemaps,omitempty"`
}

// told returns what search engines were told of the site, nil if they never were. now says that a process tells them
// now.
func (c *Config) told(ctx context.Context) (told *Told, now bool, err error) {
	record, err := c.Indexer.Notified(ctx)
	var state struct {
		Until time.Time // of the lease of the process that tells them
		Day   string    // of SentToday
	}
	if err == nil && record != nil {
		err = errors.Join(json.Unmarshal(record, &told), json.Unmarshal(record, &state))
	}
	at := time.Now()
	if told != nil && state.Day != at.UTC().Format(time.DateOnly) {
		told.SentToday = 0
	}
	return told, at.Before(state.Until), err
}
