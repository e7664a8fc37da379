package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/servemap/servemap/internal/explore"
	"github.com/servemap/servemap/store/badgerstore"
)

// lockPatience is how long a command waits for a process that holds the folder to begin
// answering, or to end.
const lockPatience = 3 * time.Second

// answerPatience is how long a living process may take to say that it lives. What it is
// asked then may take longer, as an exploration does.
const answerPatience = 4 * time.Second

// asking is what the commands have in common that ask what is known of a site.
type asking struct {
	streams
	name           string // of the command
	data, database string
	json, verbose  bool
}

func newAsking(s streams, fs *flag.FlagSet) *asking {
	a := &asking{streams: s, name: fs.Name()}
	dataFlags(fs, &a.data, &a.database)
	fs.BoolVar(&a.json, "json", false, "print JSON, an object a line")
	fs.BoolVar(&a.verbose, "v", false, "say who answers: a running process, or the folder")
	return a
}

func (a *asking) say(text string) {
	if a.verbose {
		fmt.Fprintln(a.err, text)
	}
}

// connect returns a client of the process that lives in the folder. If none does, this
// process opens the folder and answers itself, by the same handler.
func (a *asking) connect(ctx context.Context) (*client, error) {
	if err := checkData(a.data); err != nil {
		return nil, err
	}
	c, _, err := living(ctx, a.data)
	switch {
	case err == nil:
		a.say("a running process answers")
		return c, nil
	case errors.Is(err, errSilent):
		return nil, locked(a.data)
	case errors.Is(err, os.ErrPermission):
		return nil, fmt.Errorf("-data %s belongs to another user: %w", a.data, err)
	}
	s, err := loadSettings(a.data)
	if err != nil {
		return nil, err
	}
	if err := a.checkOwner(); err != nil {
		return nil, err
	}
	return a.open(ctx, s)
}

// checkOwner refuses to open a folder that another user's process serves: what this one
// wrote there, as root can, that process could not open again. The settings tell whose
// it is, since that process writes them at each start.
func (a *asking) checkOwner() error {
	info, err := os.Stat(settingsFile(a.data))
	if err != nil {
		return err
	}
	uid, ok := ownerOf(info)
	if !ok || uid == os.Geteuid() {
		return nil
	}
	name := fmt.Sprintf("'#%d'", uid)
	if u, err := user.LookupId(strconv.Itoa(uid)); err == nil {
		name = u.Username
	}
	return fmt.Errorf("-data %s belongs to another user, and no process serves it; start that, or call sudo -u %s servemap %s -data %[1]s", a.data, name, a.name)
}

// open opens the folder as a start of the site does, with the same settings.
func (a *asking) open(ctx context.Context, s *settings) (*client, error) {
	if s.Shared && a.database == "" {
		return nil, usage("-database is missing; give the database that the site was started with, or set %s", databaseVariable)
	}
	if !s.Shared {
		a.database = ""
	}
	log := slog.New(slog.DiscardHandler)
	st, closeStore, err := openStore(a.data, a.database, log)
	if err != nil {
		return nil, err
	}
	if folder, ok := st.(*badgerstore.Store); ok {
		if c, err := a.await(ctx, folder); c != nil || err != nil {
			closeStore()
			return c, err
		}
	}
	handler, err := s.handler(log)
	if err != nil {
		closeStore()
		return nil, err
	}
	site, err := newSite(s, st, log)
	if err != nil {
		closeStore()
		return nil, err
	}
	a.say("no process runs; the folder is opened")
	if isTerminal(a.err) {
		fmt.Fprint(a.err, "opening ...\r")
		defer fmt.Fprint(a.err, "           \r")
	}
	end := func() {
		ctx, cancel := context.WithTimeout(context.Background(), closePatience)
		defer cancel()
		_ = site.Close(ctx)
		closeStore()
	}
	if err := site.Flush(ctx); err != nil {
		end()
		return nil, err
	}
	answers := &control{
		site: site, health: health{PID: os.Getpid(), Version: version(), Origin: s.Origin},
		explorer: explorer{site: site, handler: handler, static: s.Dir != "", state: stateFile(a.data), log: log},
	}
	listener := make(pipe)
	server := &http.Server{Handler: answers.handler()}
	go func() { _ = server.Serve(listener) }()
	return dialing(listener.dial, func() { close(listener); server.Close(); end() }), nil
}

// locked is the error of a folder whose process does not answer.
func locked(data string) error {
	return exit{codeLocked, fmt.Sprintf("-data %s: another process holds the folder and does not answer; end it, or ask it", data)}
}

// await returns when the folder is open, or with a client of the process that has opened
// it meanwhile.
func (a *asking) await(ctx context.Context, folder *badgerstore.Store) (*client, error) {
	end := time.After(lockPatience)
	for {
		err := folder.Health()
		if err == nil {
			return nil, nil
		}
		if c, _, err := living(ctx, a.data); err == nil {
			return c, nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-end:
			if errors.Is(err, badgerstore.ErrLocked) {
				return nil, locked(a.data)
			}
			return nil, fmt.Errorf("-data %s: %w", a.data, err)
		case <-time.After(lockEvery):
		}
	}
}

// do asks for an answer. The caller calls end when it was read.
func (c *client) do(ctx context.Context, method, path string, query url.Values, body io.Reader) (resp *http.Response, end func(), err error) {
	r, err := http.NewRequestWithContext(ctx, method, "http://servemap"+path+"?"+query.Encode(), body)
	if err != nil {
		return nil, nil, err
	}
	if resp, err = c.http.Do(r); err != nil {
		return nil, nil, errors.Unwrap(err) // without the address, which means nothing
	}
	if resp.StatusCode >= 300 && path != "/health" {
		text, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<16))
		resp.Body.Close()
		return nil, nil, errors.New(strings.TrimSpace(string(text)))
	}
	return resp, func() { resp.Body.Close() }, nil
}

// each asks, and gives what each line of the answer says to fn, which prints it for
// people. With -json the lines are printed as they came, and what fn prints is not.
func each[T any](ctx context.Context, a *asking, method, path string, query url.Values, body io.Reader, fn func(w *bufio.Writer, v T) error) error {
	c, err := a.connect(ctx)
	if err != nil {
		return err
	}
	defer c.close()
	resp, end, err := c.do(ctx, method, path, query, body)
	if err != nil {
		return err
	}
	defer end()
	out, nothing := bufio.NewWriter(a.out), bufio.NewWriter(io.Discard)
	lines := bufio.NewReader(resp.Body)
	for {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			break
		}
		var v T
		if err == nil {
			err = json.Unmarshal(line, &v)
		}
		w := out
		if a.json {
			w = nothing
			_, _ = out.Write(line) // its error comes with Flush
		}
		if err == nil {
			err = fn(w, v)
		}
		if lines.Buffered() == 0 || err != nil { // somebody may wait for it
			err = cmp.Or(out.Flush(), err)
		}
		if err != nil {
			return err
		}
	}
	if text := resp.Trailer.Get(errorTrailer); text != "" {
		return errors.Join(errors.New(text), out.Flush())
	}
	return out.Flush()
}

func askHealth(ctx context.Context, data string) (health, error) {
	c, h, err := living(ctx, data)
	if err != nil {
		return h, err
	}
	c.close()
	return h, nil
}

// healthCommand never opens the folder: a site that is not served is not healthy.
func healthCommand(s streams, fs *flag.FlagSet) func(context.Context, []string) error {
	a := newAsking(s, fs)
	return func(ctx context.Context, args []string) error {
		if err := errors.Join(none(args), checkData(a.data)); err != nil {
			return err
		}
		h, err := askHealth(ctx, a.data)
		switch {
		case a.json:
			_ = json.NewEncoder(s.out).Encode(h)
		case err != nil:
			fmt.Fprintf(s.out, "not served: no process answers in %s\n", a.data)
		case h.Store != "":
			fmt.Fprintf(s.out, "served by process %d at %s; the store cannot be used: %s\n", h.PID, h.Listen, h.Store)
		default:
			fmt.Fprintf(s.out, "served by process %d at %s\n", h.PID, h.Listen)
		}
		if errors.Is(err, errSilent) {
			return locked(a.data)
		}
		if err != nil || !h.Ready {
			return errNo
		}
		return nil
	}
}

func explainCommand(s streams, fs *flag.FlagSet) func(context.Context, []string) error {
	a := newAsking(s, fs)
	return func(ctx context.Context, args []string) error {
		u, err := one(args, "the URL of a page, or its path")
		if err != nil {
			return err
		}
		return each(ctx, a, http.MethodGet, "/page", url.Values{"url": {u}}, nil, func(w *bufio.Writer, e explanation) error {
			printExplanation(w, e)
			if !e.Listed {
				return errNo
			}
			return nil
		})
	}
}

func printExplanation(w *bufio.Writer, e explanation) {
	fmt.Fprintf(w, "%s\n%s: %s\n\n%s\n", e.URL, e.Verdict, e.Reason, inFlags.Replace(e.Text))
	for _, m := range e.Missing {
		fmt.Fprintf(w, "  it would be listed: %s\n", inFlags.Replace(m))
	}
	var evidence []string
	for _, r := range e.Evidence {
		evidence = append(evidence, string(r))
	}
	w.WriteByte('\n')
	d := e.Dates
	field(w, "evidence", strings.Join(evidence, ", "))
	field(w, "rule", e.Rule)
	field(w, "canonical", e.Canonical)
	field(w, "same as", e.SameAs)
	field(w, "status", e.Status)
	field(w, "networks", e.Networks)
	field(w, "first seen", e.FirstSeen)
	field(w, "last seen", e.LastSeen)
	field(w, "lastmod", e.LastMod)
	field(w, "dates", d.Text)
	for _, at := range d.Changes {
		field(w, "changed", at)
	}
	if d.Interval > 0 {
		field(w, "interval", fmt.Sprintf("%v (%v to %v)", seconds(d.Interval), seconds(d.Shortest), seconds(d.Longest)))
		field(w, "changefreq", fmt.Sprintf("%s, with probability %.3f", d.ChangeFreq, d.Probability))
	}
	field(w, "ignored", strings.Join(d.Ignored, "; "))
}

// field prints a line, unless there is nothing to say.
func field(w *bufio.Writer, name string, value any) {
	switch v := value.(type) {
	case string:
		if v == "" {
			return
		}
	case int:
		if v == 0 {
			return
		}
	case time.Time:
		if v.IsZero() {
			return
		}
		value = stamp(v)
	}
	fmt.Fprintf(w, "%-12s %v\n", name, value)
}

func seconds(s float64) time.Duration { return time.Duration(s) * time.Second }

// stamp is a time as the sitemap has it, "" for none.
func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

func listCommand(s streams, fs *flag.FlagSet) func(context.Context, []string) error {
	a := newAsking(s, fs)
	prefix := fs.String("prefix", "", "print only pages whose URL or path begins with `TEXT`")
	return func(ctx context.Context, args []string) error {
		if err := none(args); err != nil {
			return err
		}
		return each(ctx, a, http.MethodGet, "/pages", url.Values{"prefix": {*prefix}}, nil, func(w *bufio.Writer, p listing) error {
			_, err := fmt.Fprintf(w, "%s\t%s\t%s\n", p.URL, stamp(p.LastMod), p.ChangeFreq)
			return err
		})
	}
}

func statsCommand(s streams, fs *flag.FlagSet) func(context.Context, []string) error {
	a := newAsking(s, fs)
	return func(ctx context.Context, args []string) error {
		if err := none(args); err != nil {
			return err
		}
		return each(ctx, a, http.MethodGet, "/stats", nil, nil, func(w *bufio.Writer, st stats) error {
			printStats(w, st)
			return nil
		})
	}
}

func printStats(w *bufio.Writer, st stats) {
	fmt.Fprintf(w, "%d pages are listed; %d locations are known and were never listed.\n", st.Listed, st.Waiting)
	table(w, "Locations by verdict and reason:", st.Verdicts)
	fmt.Fprintf(w, "\nResponses since the start that showed something of a page: %d; too many at once to be read: %d\n", st.Sightings, st.Dropped)
	table(w, "Responses that showed nothing of a public page:", st.Ignored)
	for _, text := range slices.Concat(st.Hints, st.Notes) {
		fmt.Fprintf(w, "\n%s\n", inFlags.Replace(text))
	}
	if st.Store != "" {
		fmt.Fprintf(w, "\nThe store cannot be used: %s\n", st.Store)
	}
}

// inFlags says by the command's flags what the texts of the library say by its options.
var inFlags = strings.NewReplacer(
	"set Rule.IgnoreCacheControl", "give -public", "Rule.IgnoreCacheControl", "-public",
	"Options.BenignCookies", "-cookie", "Options.Entries", "-entry", "Options.Query", "-query", "Options.ClientIP", "-trusted-proxies",
	"A rule that says Always", "-always", "Site.Forget", "servemap forget",
)

func table[N int | uint64](w *bufio.Writer, title string, counts map[string]N) {
	if len(counts) > 0 {
		fmt.Fprintf(w, "\n%s\n", title)
	}
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		fmt.Fprintf(w, "%8d  %s\n", counts[name], name)
	}
}

func changesCommand(s streams, fs *flag.FlagSet) func(context.Context, []string) error {
	a := newAsking(s, fs)
	since := fs.String("since", "24h", "how long ago, such as 24h, or a `TIME` such as 2026-11-01T00:00:00Z; all is the last 7 days")
	return func(ctx context.Context, args []string) error {
		if err := none(args); err != nil {
			return err
		}
		at, err := time.Parse(time.RFC3339, *since)
		if d, e := time.ParseDuration(*since); e == nil {
			at, err = time.Now().Add(-d), nil
		}
		if err != nil {
			return usage("-since %s is no time; give a duration such as 24h, or a time such as 2026-11-01T00:00:00Z", *since)
		}
		return each(ctx, a, http.MethodGet, "/changes", url.Values{"since": {at.Format(time.RFC3339Nano)}}, nil, func(w *bufio.Writer, c change) error {
			_, err := fmt.Fprintf(w, "%s\t%s\t%s\n", stamp(c.At), c.Kind, c.URL)
			return err
		})
	}
}

func forgetCommand(s streams, fs *flag.FlagSet) func(context.Context, []string) error {
	a := newAsking(s, fs)
	return func(ctx context.Context, args []string) error {
		u, err := one(args, "the URL of a page, or its path")
		if err != nil {
			return err
		}
		return each(ctx, a, http.MethodPost, "/forget", url.Values{"url": {u}}, nil, func(w *bufio.Writer, _ struct{}) error {
			_, err := fmt.Fprintf(w, "%s is not listed, and stays out until a rule says -always\n", u)
			return err
		})
	}
}

func exportCommand(s streams, fs *flag.FlagSet) func(context.Context, []string) error {
	a := newAsking(s, fs)
	format := fs.String("format", "xml", "`xml`, json or csv")
	to := fs.String("to", "", "write the sitemap's xml files to the folder `DIR`, as a large sitemap needs; it is not emptied")
	return func(ctx context.Context, args []string) error {
		if err := none(args); err != nil {
			return err
		}
		switch *format {
		case "xml":
			return a.exportXML(ctx, *to)
		case "json":
			a.json = true
			return each(ctx, a, http.MethodGet, "/pages", nil, nil, func(*bufio.Writer, listing) error { return nil })
		case "csv":
			out := csv.NewWriter(s.out)
			_ = out.Write([]string{"url", "lastmod", "changefreq", "changes", "first_seen", "last_seen"})
			err := each(ctx, a, http.MethodGet, "/pages", nil, nil, func(_ *bufio.Writer, p listing) error {
				return out.Write([]string{p.URL, stamp(p.LastMod), p.ChangeFreq, strconv.Itoa(p.Changes), stamp(p.FirstSeen), stamp(p.LastSeen)})
			})
			out.Flush()
			return errors.Join(err, out.Error())
		}
		return usage("-format %s: give xml, json or csv", *format)
	}
}

// exportXML prints the sitemap, or writes it and the files that it names to a folder.
func (a *asking) exportXML(ctx context.Context, dir string) error {
	c, err := a.connect(ctx)
	if err != nil {
		return err
	}
	defer c.close()
	names := []string{"sitemap.xml"}
	for i := 0; i < len(names); i++ {
		resp, end, err := c.do(ctx, http.MethodGet, "/files/"+names[i], nil, nil)
		if err != nil {
			return err
		}
		text, err := io.ReadAll(resp.Body)
		end()
		if err != nil {
			return err
		}
		_, parts := explore.ReadSitemap(text)
		for _, p := range parts {
			names = append(names, p[strings.LastIndexByte(p, '/')+1:])
		}
		switch {
		case dir != "":
			err = os.WriteFile(filepath.Join(dir, names[i]), text, 0o644)
		case len(parts) > 0:
			return usage("the sitemap has %d files; give -to and a folder for them", len(parts)+1)
		default:
			_, err = a.out.Write(text)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func exploreCommand(s streams, fs *flag.FlagSet) func(context.Context, []string) error {
	a := newAsking(s, fs)
	most := 0
	maxFlag(fs, &most)
	return func(ctx context.Context, args []string) error {
		if err := none(args); err != nil {
			return err
		}
		return a.explore(ctx, url.Values{"max": {strconv.Itoa(most)}}, nil)
	}
}

func importCommand(s streams, fs *flag.FlagSet) func(context.Context, []string) error {
	a := newAsking(s, fs)
	return func(ctx context.Context, args []string) error {
		if len(args) == 0 {
			return usage("name a sitemap or an access log: a file, - for the standard input, or the URL of a sitemap that the site serves")
		}
		for _, name := range args {
			if err := a.importOne(ctx, name); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		return nil
	}
}

func (a *asking) importOne(ctx context.Context, name string) error {
	if strings.Contains(name, "://") {
		return a.explore(ctx, url.Values{"sitemap": {name}}, nil)
	}
	if name == "-" {
		return a.explore(ctx, nil, a.in)
	}
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	return a.explore(ctx, nil, f)
}

// explore has the site explored, and shows how far that is.
func (a *asking) explore(ctx context.Context, query url.Values, seed io.Reader) error {
	told := time.Now()
	terminal := isTerminal(a.err)
	var last progress
	err := each(ctx, a, http.MethodPost, "/explore", query, seed, func(_ *bufio.Writer, p progress) error {
		last = p
		switch {
		case terminal && !a.json:
			fmt.Fprintf(a.err, "\r\033[K%d requests, %d pages, %d waiting", p.Requests, p.Pages, p.Waiting)
		case time.Since(told) >= logEvery:
			told = time.Now()
			fmt.Fprintf(a.err, "%d requests, %d pages, %d waiting\n", p.Requests, p.Pages, p.Waiting)
		}
		return nil
	})
	if terminal && !a.json {
		fmt.Fprint(a.err, "\r\033[K")
	}
	switch {
	case err != nil:
		return err
	case last.Error != "":
		return errors.New(strings.TrimPrefix(last.Error, "servemap: "))
	case a.json:
		return nil
	}
	out := bufio.NewWriter(a.out)
	fmt.Fprintf(out, "%d requests, %d pages", last.Requests, last.Pages)
	if last.Waiting > 0 {
		fmt.Fprintf(out, "; %d locations are left, raise -max to ask for them", last.Waiting)
	}
	out.WriteByte('\n')
	table(out, "Links that were not asked for, by reason:", last.Skipped)
	if len(last.Acting) > 0 {
		fmt.Fprint(out, "\nThese may change something and were not asked for; give -always for those that are pages:\n")
	}
	for _, u := range last.Acting {
		fmt.Fprintf(out, "  %s\n", u)
	}
	return out.Flush()
}

// isTerminal reports whether somebody watches what is written.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
