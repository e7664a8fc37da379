package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"
)

// child is a site in a process of its own.
type child struct {
	cmd     *exec.Cmd
	public  string // host and port
	orders  string
	begun   time.Time
	works   chan struct{} // closed when the store works
	worked  time.Duration // from the start until then
	ended   chan struct{}
	log     *lockedBuffer
	exit    error
	control *http.Client
}

// lockedBuffer keeps what a child says.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// launch says how a site is started.
type launch struct {
	program string // this one if empty
	dir     string
	state   *fates
	limit   int // of file descriptors, 0 for none
	uid     int // the user, 0 for the same
	moods   bool
}

// start returns once the site serves, or has ended before it did.
func (l launch) start(ctx context.Context) (*child, error) {
	state, err := l.encoded()
	if err != nil {
		return nil, err
	}
	self := l.program
	if self == "" {
		if self, err = os.Executable(); err != nil {
			return nil, err
		}
	}
	args := []string{self, siteFlag, "-dir", l.dir, "-state", state}
	if l.moods {
		args = append(args, "-moods")
	}
	if l.uid != 0 {
		id := fmt.Sprint(l.uid)
		args = append([]string{"setpriv", "--reuid", id, "--regid", id, "--clear-groups"}, args...)
	}
	if l.limit > 0 {
		args = append([]string{"sh", "-c", fmt.Sprintf(`ulimit -n %d; exec "$@"`, l.limit), "sh"}, args...)
	}
	c := &child{
		cmd: exec.CommandContext(ctx, args[0], args[1:]...), begun: time.Now(), log: new(lockedBuffer),
		works: make(chan struct{}), ended: make(chan struct{}),
		control: &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: 8}},
	}
	c.cmd.Stderr = c.log
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := c.cmd.Start(); err != nil {
		return nil, err
	}
	serves := make(chan struct{})
	go c.listen(out, serves)
	select {
	case <-serves:
		return c, nil
	case <-c.ended:
		return c, fmt.Errorf("the site ended before it served: %w\n%s", c.exit, c.log)
	}
}

func (l launch) encoded() (string, error) {
	if l.state == nil {
		return "{}", nil
	}
	l.state.mu.RLock()
	defer l.state.mu.RUnlock()
	b, err := json.Marshal(l.state)
	return string(b), err
}

// listen hears what the child says, and sees it end.
func (c *child) listen(out io.Reader, serves chan<- struct{}) {
	defer close(c.ended)
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		switch {
		case len(words) == 3 && words[0] == "serves":
			c.public, c.orders = words[1], words[2]
			close(serves)
		case len(words) == 1 && words[0] == "works":
			c.worked = time.Since(c.begun)
			close(c.works)
		}
	}
	c.exit = c.cmd.Wait()
	c.control.CloseIdleConnections()
}

// alive reports whether the process has not ended.
func (c *child) alive() bool {
	select {
	case <-c.ended:
		return false
	default:
		return true
	}
}

// awaitWork waits until the store works.
func (c *child) awaitWork(limit time.Duration) error {
	select {
	case <-c.works:
		return nil
	case <-c.ended:
		return fmt.Errorf("the site ended: %w\n%s", c.exit, c.log)
	case <-time.After(limit):
		return fmt.Errorf("the store does not work after %v\n%s", limit, c.log)
	}
}

// kill ends the process as kill -9 does.
func (c *child) kill() {
	_ = c.cmd.Process.Kill()
	<-c.ended
}

// stop ends it as an operator does.
func (c *child) stop() error {
	if err := c.cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	select {
	case <-c.ended:
		return c.exit
	case <-time.After(40 * time.Second):
		c.kill()
		return fmt.Errorf("the site does not end\n%s", c.log)
	}
}

// order has the site do something.
func (c *child) order(what string, args ...string) error {
	_, err := c.ask(what, args...)
	return err
}

func (c *child) ask(what string, args ...string) ([]byte, error) {
	form := url.Values{}
	for i := 0; i < len(args); i += 2 {
		form.Set(args[i], args[i+1])
	}
	resp, err := c.control.Get("http://" + c.orders + "/" + what + "?" + form.Encode())
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", what, strings.TrimSpace(string(body)))
	}
	return body, err
}

func (c *child) status() (s status, err error) {
	body, err := c.ask("status")
	if err != nil {
		return s, err
	}
	return s, json.Unmarshal(body, &s)
}

// until asks every few milliseconds whether a condition holds, and fails after limit.
func until(limit time.Duration, what string, holds func() bool) (time.Duration, error) {
	begun := time.Now()
	for !holds() {
		if time.Since(begun) > limit {
			return limit, fmt.Errorf("after %v still not: %s", limit, what)
		}
		time.Sleep(10 * time.Millisecond)
	}
	return time.Since(begun), nil
}
