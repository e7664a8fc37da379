package notify

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/page/words"
)

const (
	batchPages  = 1000
	askTimeout  = 20 * time.Second
	answerBytes = 1 << 20 // the most to read of an answer
)

// indexNow sends the changes that are due in batches, within the day's limit and while the lease lasts.
func (n *Notifier) indexNow(ctx context.Context) error {
	if n.endpoint == "" {
		n.st.Pending = 0
		return nil
	}
	all, err := n.changes(ctx, n.now())
	if err != nil {
		return err
	}
	due := n.choose(all, n.now())
	allowed := min(len(due), n.allowed())
	n.wait(len(due) > allowed)
	if len(due) > 0 && allowed <= 0 && !n.now().Before(n.st.Endpoints[0].NextTry) {
		return fmt.Errorf("as many pages are sent as may be by this time of a day with %d pages (%s); the others wait",
			n.perDay, words.Say("{PerDay}"))
	}
	for allowed > 0 && !n.now().Before(n.st.Endpoints[0].NextTry) && n.st.Until.Sub(n.now()) > leaseFor/2 {
		size := min(n.batch, allowed)
		pages, err := n.sendable(ctx, due[:size]) // just before each post, since a post takes long
		if err == nil && len(pages) > 0 {
			err = n.post(ctx, pages)
		}
		if err != nil {
			return err
		}
		due, allowed = due[size:], allowed-size
	}
	return nil
}

// wait notes why the pages that wait are not sent now, and when the first of them may be, which choose has noted. full
// says that the day's limit keeps some.
func (n *Notifier) wait(full bool) {
	s, now := &n.st.Status, n.now()
	due := s.NextSend
	switch s.NextSend = latest(due, s.Endpoints[0].NextTry); {
	case s.Pending == 0:
		s.Waits, s.NextSend = "", time.Time{}
	case s.Endpoints[0].NextTry.After(now):
		s.Waits = "the engine did not take the last post"
	case full:
		s.Waits = fmt.Sprintf(words.Say("of the %d pages of a day ({PerDay}), half are spread over it"), n.perDay)
		s.NextSend = n.allowedAgain()
	case due.After(now):
		s.Waits = fmt.Sprintf("a page is sent %s after its first change, and an hour after it was sent before",
			words.Count(int(math.Ceil(n.hold.Minutes())), "minute"))
	default:
		s.Waits, s.NextSend = "", time.Time{}
	}
}

// post sends pages, and stores the outcome, which renews the lease.
func (n *Notifier) post(ctx context.Context, pages []change) error {
	a, failed := n.tell(ctx, pages)
	if ctx.Err() != nil {
		return ctx.Err() // nobody knows the outcome
	}
	now, before := n.now(), n.st.Endpoints[0]
	e, v := judge(before, a, now), verdictOf(a.code)
	log := n.log.With("engine", hostOf(e.URL), "code", a.code)
	switch {
	case a.accepted():
		e.Sent += uint64(len(pages))
		n.st.SentToday += len(pages)
		log.Info("notify: sent", "pages", len(pages), "first", pages[0].url)
	default:
		e.Refused++
		e.NextTry = e.NextTry.Add(rand.N(e.NextTry.Sub(now)/8 + 1)) // so that not all sites come at once
		if e.Verdict != before.Verdict {
			if failed != nil {
				log = log.With("error", failed)
			}
			says := v.says
			if a.code == http.StatusForbidden && before.Sent == 0 {
				says += ", as in the first minutes of a new one"
			}
			log.Warn("notify: "+says, "verdict", v.name, "advice", e.Advice, "until", e.NextTry.UTC().Format(time.RFC3339))
		}
	}
	if a.accepted() || a.code == http.StatusUnprocessableEntity { // an invalid page must not stop the others for ever
		for _, c := range pages {
			n.sent[c.hash] = moment.Of(now)
		}
		n.st.Pending = max(0, n.st.Pending-len(pages))
	}
	if a.code == http.StatusRequestEntityTooLarge {
		n.batch = max(1, len(pages)/2)
	}
	n.st.Endpoints[0] = e
	return n.save(ctx, leaseFor)
}

// message is the body of a post, in the order of the protocol's own example.
type message struct {
	Host        string   `json:"host"`
	Key         string   `json:"key"`
	KeyLocation string   `json:"keyLocation,omitempty"`
	URLs        []string `json:"urlList"`
}

// tell posts pages. The error says why no answer came.
func (n *Notifier) tell(ctx context.Context, pages []change) (answer, error) {
	m := message{Host: n.folder.Host, Key: n.st.Key}
	if n.folder.Path != "/" {
		m.KeyLocation = n.folder.String() + m.Key + ".txt"
	}
	for _, c := range pages {
		m.URLs = append(m.URLs, c.url)
	}
	body, _ := json.Marshal(m) // strings can be encoded
	return ask(ctx, n.client, n.agent, http.MethodPost, n.endpoint, body)
}

// answer is the answer to a request.
type answer struct {
	code       int           // 0 if nothing came
	retryAfter time.Duration // 0 if it is not given
	body       []byte
}

// ask makes a request with a body of JSON, nil for none, and reads the answer. The error says why none came.
func ask(ctx context.Context, client *http.Client, agent, method, url string, body []byte) (answer, error) {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
	if err != nil {
		return answer{}, withoutURL(err)
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json; charset=utf-8")
	}
	req.Header.Set("User-Agent", agent)
	resp, err := client.Do(req)
	if err != nil {
		return answer{}, withoutURL(err)
	}
	defer resp.Body.Close()
	said, _ := io.ReadAll(io.LimitReader(resp.Body, answerBytes)) // what breaks off cannot be decoded
	return answer{resp.StatusCode, retryAfter(resp.Header.Get("Retry-After"), time.Now()), said}, nil
}

func (a answer) accepted() bool { return a.code/100 == 2 }

// verdict is what an answer means.
type verdict struct {
	name        string        // as in [Endpoint]
	first, most time.Duration // how long to wait after the first failure, and after many
	says        string
	advice      string // what the owner can do, "" if nothing
}

var (
	verdictOK   = verdict{name: "ok"}
	verdictDown = verdict{"down", time.Minute, time.Hour, "the engine cannot be reached, or has trouble of its own", ""}
)

// paused returns the verdict of a refusal that waiting alone rarely ends: somebody has to mend something first, which
// takes an hour or a day.
func paused(says, advice string) verdict { return verdict{"paused", time.Hour, longest, says, advice} }

// verdictPaused is for each 4xx that has no verdict of its own.
var verdictPaused = paused("the engine refuses the pages",
	"see whether the engine's documentation or a proxy on the way explains the code; {Endpoint} may name another engine")

// verdicts has the status codes that mean something other than their class does.
var verdicts = map[int]verdict{
	http.StatusBadRequest: paused("the engine calls the post malformed",
		"check {Key} and {Endpoint}: the engine may want another form of key, or another address"),
	http.StatusUnauthorized: paused("the engine, or a proxy on the way to it, wants a log-in",
		"see that {Endpoint} is an address of IndexNow, and that no proxy of your network answers in its place"),
	http.StatusForbidden: {"key-refused", 2 * time.Minute, longest,
		"the engine refuses the key",
		"everybody must get the key file with status 200 and no other content: see that nothing else answers in its place, " +
			"such as a bot shield or a cache. " +
			"If it does, and the engine refuses the key for days, give another {Key}, or verify the site in the engine's " +
			"webmaster tools"},
	http.StatusNotFound: paused("nothing takes posts at the engine's address",
		"correct {Endpoint}, or leave it out for api.indexnow.org"),
	http.StatusMethodNotAllowed: paused("the engine's address takes no posts",
		"correct {Endpoint}, or leave it out for api.indexnow.org"),
	http.StatusRequestTimeout:        verdictDown,
	http.StatusTooEarly:              verdictDown,
	http.StatusRequestEntityTooLarge: {"throttled", time.Minute, longest, "the engine asks for fewer pages in a post", ""},
	http.StatusUnprocessableEntity: paused("the engine calls a page of a post invalid, so none of its pages is sent again",
		"the pages must be of the origin's host, and the key file must answer there: see that the origin has the host that "+
			"visitors see, with or without www"),
	http.StatusTooManyRequests: {"throttled", 10 * time.Minute, longest, "the engine asks for fewer posts",
		"lower {PerDay} if that lasts; nothing is lost, since the sitemap has all pages"},
	http.StatusUnavailableForLegalReasons: paused("the engine may not take the pages where it, or this machine, is",
		"name an engine of another country in {Endpoint}"),
}

func verdictOf(code int) verdict {
	v, special := verdicts[code]
	switch {
	case special:
		return v
	case code/100 == 2:
		return verdictOK
	case code/100 == 4:
		return verdictPaused
	}
	return verdictDown // no answer, a redirect, or trouble that passes
}

// judge returns the new state of an endpoint after an answer. Each further failure of one kind doubles
// the wait.
func judge(e Endpoint, a answer, now time.Time) Endpoint {
	v := verdictOf(a.code)
	if e.Verdict != v.name {
		e.Fails = 0
	}
	e.Verdict, e.Advice, e.Code, e.LastTried = v.name, words.Say(v.advice), a.code, now
	if a.accepted() {
		e.LastAccepted, e.NextTry = now, time.Time{}
		return e
	}
	e.NextTry = now.Add(max(a.retryAfter, min(v.first<<min(e.Fails, 16), v.most)))
	e.Fails++
	return e
}

// retryAfter reads the header Retry-After, in seconds or as a date. It returns at most a day, and 0 for
// any other value.
func retryAfter(value string, now time.Time) time.Duration {
	if seconds, err := strconv.ParseUint(value, 10, 31); err == nil {
		return min(time.Duration(seconds)*time.Second, longest)
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(0, min(at.Sub(now), longest))
	}
	return 0
}

// hostOf returns the host of an endpoint, which was checked.
func hostOf(endpoint string) string {
	u, _ := url.Parse(endpoint)
	return u.Host
}
