package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/cmd/servemap/internal/control"
	"github.com/servemap/servemap/cmd/servemap/internal/explorer"
	"github.com/servemap/servemap/cmd/servemap/internal/settings"
	"github.com/servemap/servemap/internal/admin/guard"
	"github.com/servemap/servemap/internal/admin/messages"
	"github.com/servemap/servemap/internal/admin/metrics"
	"github.com/servemap/servemap/internal/inspect"
	"github.com/servemap/servemap/internal/page/words"
	"github.com/servemap/servemap/notify"
	"github.com/servemap/servemap/store"
)

// The JSON answers of a process, besides those of the inspector, which has the types of
// pages, changes and counts. Lists have one object per line. Fields are only ever added.
// With -json, commands print the answers. Otherwise they render the same structs for people.

type health struct {
	Serves  bool   `json:"serves"` // visitors are served; the answer is a 503 if not
	Ready   bool   `json:"ready"`  // the sitemap is served too, and the process was not told to end
	PID     int    `json:"pid"`
	Version string `json:"version"`
	Origin  string `json:"origin"`
	Listen  string `json:"listen,omitempty"`
	Store   string `json:"store,omitempty"`  // why it cannot be used
	Ending  bool   `json:"ending,omitempty"` // the process was told to end
	Down    bool   `json:"down,omitempty"`   // the site behind does not answer
	File    bool   `json:"file,omitempty"`   // the settings are keys of a file, and no flags
}

type forgotten struct {
	Forgotten bool `json:"forgotten"` // false if that was undone, or nothing was changed
	Known     bool `json:"known"`     // something was known of the page, or it was forgotten; else nothing was changed
}

// way is a way in to the inspector.
type way struct {
	Link string `json:"link"`
}

// progress says how far an exploration is. The last one is Done, or says what failed.
type progress struct {
	servemap.Exploration
	Done  bool   `json:"done,omitempty"`
	Error string `json:"error,omitempty"`
}

// answers are what a process knows of a site, and answers to commands and health checks.
type answers struct {
	*settings.Settings
	log      *slog.Logger
	site     *servemap.Site
	store    store.Store
	close    func() // closes the store
	explorer *explorer.Explorer
	notifier *notify.Notifier // nil without -indexnow
	link     string           // the link to the inspector, "" without -admin
	health   health
	serves   atomic.Bool // visitors
	ending   atomic.Bool
}

// newAnswers returns what answers for a site, whose store it closes at the end. handler is the site itself, nil if
// nobody serves it.
func newAnswers(s *settings.Settings, handler http.Handler, st store.Store, closeStore func(),
	log *slog.Logger) (*answers, error) {
	c := &answers{Settings: s, log: log, store: st, close: closeStore}
	c.health = health{PID: os.Getpid(), Version: metrics.Version(), Origin: s.Origin, File: words.Used() == words.Keys}
	opts, err := s.Options(log)
	if err == nil {
		if c.site, err = servemap.New(s.Origin, st, opts); err != nil {
			err = s.Named(err)
		}
	}
	if err != nil {
		closeStore()
		return nil, usage("%v", err)
	}
	c.explorer = &explorer.Explorer{Site: c.site, Handler: handler, Inside: s.Inside, Public: originOf(s).Folder(),
		Query:    s.Query,
		Sitemaps: s.Sitemaps, Log: log, Explored: control.Explored(s.Data), Settings: s.Explored()}
	return c, nil
}

// end stores what was seen, and closes the store.
func (c *answers) end() error {
	defer c.close()
	stop, done := context.WithTimeout(context.Background(), closePatience)
	defer done()
	return c.site.Close(stop)
}

func (c *answers) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /health", c.serveHealth)
	inspector := c.site.Inspector(anybody)
	mux.Handle("GET /inspect/", inspector)
	mux.HandleFunc("GET /inspect/page.json", func(w http.ResponseWriter, r *http.Request) {
		r.URL.RawQuery = url.Values{"u": {c.public(r.FormValue("u"))}}.Encode()
		inspector.ServeHTTP(w, r)
	})
	mux.HandleFunc("GET /link", func(w http.ResponseWriter, _ *http.Request) { answer(w, way{c.link}) })
	mux.HandleFunc("GET /pages", c.servePages)
	mux.HandleFunc("POST /forget", c.serveForget)
	mux.HandleFunc("POST /explore", c.serveExplore)
	return mux
}

// fromFile begins the settings that are left in the folder, if the owner wrote them in a file.
const fromFile = "# from the file of servemap run\n"

// answerIn answers commands in the folder of the data until the function that it returns is called. The settings
// stay there, for questions after this process has ended, unless what it learns is in a database.
func (c *answers) answerIn(ctx context.Context) (end func(), err error) {
	text, err := settings.Write([]*settings.Settings{c.Settings})
	if c.Database != "" {
		text = nil
	} else if c.health.File {
		text = append([]byte(fromFile), text...)
	}
	if err == nil {
		err = control.Make(c.Data)
	}
	if err != nil {
		return nil, err
	}
	if err := control.WriteFile(control.Settings(c.Data), text); err != nil { // on a full disk
		c.log.Warn("the settings could not be written; commands can ask this process only while it runs", "err", err)
	}
	return c.answerAt(ctx, control.Listen)
}

// answerAt answers commands at a socket until the function that it returns is called.
func (c *answers) answerAt(ctx context.Context, listen func(data string) (*control.Listener,
	error)) (end func(), err error) {
	socket, err := listen(c.Data)
	if err != nil {
		return nil, err
	}
	server := &http.Server{Handler: c.handler(), BaseContext: func(net.Listener) context.Context { return ctx }}
	go func() { _ = server.Serve(socket) }()
	return func() {
		stop, done := context.WithTimeout(context.Background(), closePatience)
		defer done()
		_ = server.Shutdown(stop) // this also removes the socket
	}, nil
}

// shortPassword is the length below which a password is soon guessed.
const shortPassword = 12

// admin answers at the address of -admin, below base, with the key of the inspector's link. It listens at an address
// of this machine. A password opens it from everywhere.
func (c *answers) admin(base string, at *net.TCPAddr, key *guard.Link) http.Handler {
	address := opensAt(at) + base + "/inspect/"
	allow := anybody
	inspector := (&guard.Door{What: "inspector", Logger: c.log, Names: inspect.Names,
		Help: "To see the inspector, open the link that the log has, or that \"servemap link -data DIR\" prints."}).ByLink(key,
		c.site.Inspector(anybody))
	if c.link = key.At(address); c.Password != "" {
		allow, c.link = servemap.Password("admin", string(c.Password)), address
		inspector = c.site.Inspector(allow)
		if len(c.Password) < shortPassword {
			c.log.Warn(words.Say("{-admin-password} is short, and whoever guesses it may read all and forget pages; " +
				"give a long random one, as \"openssl rand -base64 18\" prints"))
		}
	}
	if !at.IP.IsLoopback() {
		c.log.Info(words.Say("{-admin} speaks plain HTTP, and other machines may reach it; put HTTPS in front, or listen at "+
			"127.0.0.1"), "at", at)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", c.serveHealth)
	mux.Handle("GET /metrics", c.serveMetrics(allow))
	mux.Handle("GET /{$}", http.RedirectHandler(base+"/inspect/", http.StatusFound))
	mux.Handle("/inspect/", inspector)
	if c.Password != "" {
		return mux
	}
	return (&guard.Door{What: "address of -admin", Logger: c.log}).ByHost(c.Admin, mux)
}

// opensAt returns where a browser on this machine opens what listens there.
func opensAt(listener *net.TCPAddr) string {
	if listener.IP.IsUnspecified() {
		return fmt.Sprintf("http://localhost:%d", listener.Port)
	}
	return "http://" + listener.String()
}

// anybody may ask: only the owner reaches the socket, and who reaches the address of -admin
// may read its numbers.
func anybody(*http.Request) bool { return true }

func (c *answers) serveHealth(w http.ResponseWriter, _ *http.Request) {
	h := c.health
	stats := c.site.Stats()
	h.Serves, h.Store, h.Down = c.serves.Load(), stats.Store, messages.Unanswered.In(stats.Hints)
	h.Ending = c.ending.Load()
	h.Ready = h.Serves && !h.Ending && len(c.site.Sitemaps()) > 0
	if !h.Serves {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	answer(w, h)
}

func (c *answers) servePages(w http.ResponseWriter, r *http.Request) {
	for p, err := range c.site.Pages(r.Context()) {
		if err != nil {
			w.Header().Set(http.TrailerPrefix+errorTrailer, strings.TrimPrefix(err.Error(), "servemap: "))
			return
		}
		answer(w, p)
	}
}

// errorTrailer names the trailer that says why a list broke off.
const errorTrailer = "Servemap-Error"

// public returns the public address of a page that the owner names. He may have copied the one at which the process, or
// the site behind it, is reached on this machine.
func (c *answers) public(page string) string {
	u, err := url.Parse(page)
	if err != nil || u.Host == originOf(c.Settings).Host() {
		return page
	}
	at := u.RequestURI()
	here := ipOf(u.Hostname()).IsValid() && u.Port() == strconv.Itoa(portOf(cmp.Or(c.health.Listen, c.Listen)))
	if to, err := url.Parse(c.To); !here && err == nil && u.Host == to.Host { // the site behind may be in a folder there
		at, here = strings.CutPrefix(at, strings.TrimSuffix(to.EscapedPath(), "/"))
		at = cmp.Or(at, "/")
	}
	if !here || u.Host == "" || at[0] != '/' {
		return page
	}
	return strings.TrimSuffix(c.Stripped, "/") + at
}

// serveForget forgets a page of which something is known, or undoes that.
func (c *answers) serveForget(w http.ResponseWriter, r *http.Request) {
	page, undo := c.public(r.FormValue("url")), r.FormValue("undo") != ""
	e, err := c.site.Explain(r.Context(), page)
	f, change := forgotten{Known: e.Verdict != servemap.VerdictUnknown}, c.site.Forget
	if undo {
		f.Known, change = e.Reason == servemap.ReasonForgotten, c.site.UndoForget
	}
	if f.Forgotten = f.Known && !undo; err == nil && f.Known {
		err = change(r.Context(), page)
	}
	if err != nil {
		refuse(w, err)
		return
	}
	answer(w, f)
}

// serveExplore explores, and streams the progress.
func (c *answers) serveExplore(w http.ResponseWriter, r *http.Request) {
	if c.explorer.Handler == nil {
		refuse(w, errors.New("no process serves the site; start servemap proxy or files, or crawl, with this folder"))
		return
	}
	most, _ := strconv.Atoi(r.FormValue("max"))
	opts := servemap.ExploreOptions{MaxRequests: most}
	opts.Progress = func(e servemap.Exploration) {
		answer(w, progress{Exploration: e})
		_ = http.NewResponseController(w).Flush()
	}
	if r.FormValue("inside") == "true" {
		opts.Inside = c.explorer.Handler
	}
	done, err := c.explorer.Run(r.Context(), opts)
	last := progress{Exploration: done, Done: err == nil}
	if err != nil {
		last.Error = err.Error()
	}
	answer(w, last)
}

// answer writes a line of JSON.
func answer(w io.Writer, v any) {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v) // the client may have left
}

// refuse answers with an error.
func refuse(w http.ResponseWriter, err error) {
	http.Error(w, strings.TrimPrefix(err.Error(), "servemap: "), http.StatusInternalServerError)
}
