package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/servemap/servemap/cmd/servemap/internal/patient"
	"github.com/servemap/servemap/cmd/servemap/internal/upstream"
	"github.com/servemap/servemap/internal/page/words"
)

// door is an address where this process listens.
type door struct {
	*shift    // nil before a handler answers there
	listeners []net.Listener
	given     bool // systemd gave the listeners, and keeps them: visitors wait there for the next process
	handler   atomic.Pointer[http.Handler]
}

// shift is a server at a door. When the process is told to end, a second shift answers new visitors while the first
// ends what it has begun.
type shift struct {
	*http.Server
	listeners []net.Listener
	states    sync.Map                // the state of each connection but WebSockets: an http.ConnState by net.Conn
	busy      atomic.Int64            // requests that are being answered, also those of WebSockets
	cancel    context.CancelCauseFunc // ends all
	askAgain  context.CancelCauseFunc // ends those that only read
}

func (d *door) at() *net.TCPAddr { return d.listeners[0].Addr().(*net.TCPAddr) }

func (d *door) close() {
	for _, l := range d.listeners {
		l.Close()
	}
}

// lead makes a handler answer at a door from now on.
func (d *door) lead(p *process, to http.Handler) {
	if d.handler.Swap(&to) == nil {
		d.serve(p, false)
	}
}

// serve begins a shift. In the last one, requests that only read can be ended without those that may act.
func (d *door) serve(p *process, last bool) {
	s := &shift{listeners: d.listeners}
	all, cancel := context.WithCancelCause(context.Background())
	safe, askAgain := context.WithCancelCause(all)
	s.cancel, s.askAgain = cancel, askAgain
	s.Server = patient.Server(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.busy.Add(1)
		defer s.busy.Add(-1)
		if last && (r.Method == http.MethodGet || r.Method == http.MethodHead) {
			ctx, cancel := context.WithCancelCause(r.Context())
			defer cancel(nil)
			defer context.AfterFunc(safe, func() { cancel(context.Cause(safe)) })()
			r = r.WithContext(ctx)
		}
		(*d.handler.Load()).ServeHTTP(w, r)
	}), p.log)
	s.BaseContext = func(net.Listener) context.Context { return all }
	s.ConnState = func(c net.Conn, state http.ConnState) {
		if s.states.Store(c, state); state == http.StateClosed || state == http.StateHijacked {
			s.states.Delete(c)
		}
	}
	for _, l := range s.listeners {
		go func() {
			if err := s.Serve(patient.Listener(l)); !errors.Is(err, http.ErrServerClosed) && !errors.Is(err, net.ErrClosed) {
				p.failed <- err
			}
		}()
	}
	d.shift = s
}

// relieve begins the last shift, and ends the one before: connections without a request at once, the others once they
// are answered, or when the time of -drain is over.
func (d *door) relieve(p *process) {
	first := d.shift
	if again, err := twins(d.listeners); err == nil { // some systems have none, and refuse visitors from now on
		d.listeners = again
		d.serve(p, true)
		d.SetKeepAlivesEnabled(false)
	}
	if !first.endWithin(p.drain, p.drain) {
		p.log.Warn("connections that did not end were cut off", "after", p.drain)
	}
}

// twins returns other listeners at the same addresses. Visitors who came to the first ones, and were not taken in, are
// theirs.
func twins(listeners []net.Listener) (all []net.Listener, err error) {
	for _, l := range listeners {
		file, err := l.(*net.TCPListener).File()
		if err != nil {
			return nil, err
		}
		again, err := net.FileListener(file)
		file.Close()
		if err != nil {
			return nil, err
		}
		all = append(all, again)
	}
	return all, nil
}

// end ends the last shift. Where nobody keeps the listeners, all visitors are refused meanwhile.
func (d *door) end(drain time.Duration) {
	sending := drain
	if !d.given {
		drain, sending = min(drain, waitPatience), lastPatience
		within(quietPatience, d.quiet)
	}
	d.endWithin(drain, sending)
}

// endWithin ends a shift, and reports whether it had answered all requests by then. Requests that only read, and
// answers that have begun, which may never end, have only the time for sending. A reader who has got nothing by then is
// asked to come again, so that nobody else is refused because of him. [http.Server.Shutdown] would hang up on clients
// that have just connected, before it reads what they ask for. A client that is silent for a tenth of that time asks
// for nothing.
func (s *shift) endWithin(patience, sending time.Duration) bool {
	for _, l := range s.listeners {
		l.Close()
	}
	s.SetKeepAlivesEnabled(false)
	asking := time.AfterFunc(sending, func() { s.askAgain(upstream.ErrRestart) })
	defer asking.Stop()
	begun := time.Now()
	answered := within(patience, func() bool {
		passed := time.Since(begun)
		done := s.idle() || passed > sending && !s.waited()
		return done && (!s.some(http.StateNew) || passed > sending/10)
	})
	s.cancel(upstream.ErrRestart)
	within(lastPatience, s.idle)
	s.Close()
	return answered
}

// idle reports whether all answers are sent.
func (s *shift) idle() bool { return s.quiet() && !s.some(http.StateActive) }

// waited reports whether a client has got nothing yet of what it asked for.
func (s *shift) waited() (found bool) {
	s.states.Range(func(c, state any) bool {
		found = state == http.StateActive && !c.(*patient.Conn).Answered()
		return !found
	})
	return found
}

// some reports whether a connection is in a state. An active one may still have a part of its answer to send.
func (s *shift) some(wanted http.ConnState) (found bool) {
	s.states.Range(func(_, state any) bool {
		found = state == wanted
		return !found
	})
	return found
}

// quiet reports whether no request is being answered.
func (s *shift) quiet() bool { return s.busy.Load() == 0 }

// within waits until a condition holds, and reports whether it did in time.
func within(patience time.Duration, holds func() bool) bool {
	for begun := time.Now(); !holds(); time.Sleep(time.Millisecond) {
		if time.Since(begun) > patience {
			return false
		}
	}
	return true
}

// at returns the door of a setting with an address.
func (p *process) at(name, address string) (d *door, err error) {
	if d = p.doors[name+" "+address]; d != nil {
		return d, nil
	}
	d = &door{}
	p.given = slices.DeleteFunc(p.given, func(l net.Listener) bool { // a socket of systemd is known by its port
		mine, is := l.Addr().(*net.TCPAddr)
		if is = is && mine.Port == portOf(address); is {
			d.given, d.listeners = true, append(d.listeners, l)
		}
		return is
	})
	if !d.given {
		l, err := net.Listen("tcp", address)
		if errors.Is(err, syscall.EADDRINUSE) && p.listens(portOf(address)) {
			return nil, listensAlready(name, address)
		}
		if err != nil {
			return nil, unfit(name, address, err)
		}
		d.listeners = []net.Listener{l}
	}
	p.doors[name+" "+address] = d
	return d, nil
}

// listens reports whether one of the doors has a port.
func (p *process) listens(port int) bool {
	for _, d := range p.doors {
		if d.at().Port == port {
			return true
		}
	}
	return false
}

// portOf returns the port of an address, 0 if it has none.
func portOf(address string) int {
	_, port, _ := net.SplitHostPort(address)
	n, _ := net.LookupPort("tcp", port)
	return n
}

func listensAlready(name, address string) error {
	return usage("{-"+name+"} %s is an address where this process listens already; give it one of its own", address)
}

// unfit says why this process cannot listen at the address of a setting.
func unfit(name, address string, err error) error {
	var form *net.AddrError
	_, port, _ := net.SplitHostPort(address)
	if !strings.Contains(address, ":") { // a port alone
		port = address
	}
	_, noNumber := strconv.Atoi(port)
	wrong := port != "" && portOf(":"+port) == 0 && port != "0"
	switch {
	case errors.As(err, &form) && portOf(":"+address) > 0:
		return usage("{-"+name+"} %s is a port alone; write localhost:%[1]s, or :%[1]s for all of the machine's addresses",
			address)
	case wrong && (noNumber == nil || port != address):
		return usage("{-"+name+"} %s: there is no port %s; ports are numbers up to 65535. Give an address such as "+
			"localhost:8080, or :8080 for all of the machine's addresses", address, port)
	case errors.As(err, &form):
		return usage("{-"+name+"} %s: %s; give an address such as localhost:8080, or :8080 for all of the machine's "+
			"addresses", address, form.Err)
	case errors.Is(err, syscall.EADDRINUSE):
		return fmt.Errorf(words.Say("{-"+name+"} %s: another program listens there; end it, or give another port"), address)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf(words.Say("Cannot use {-"+name+
			"} %s as user %s: permission denied. Choose a port above 1023, or let the process have the others."), address, whoami())
	}
	return fmt.Errorf(words.Say("{-"+name+"} %s: %w"), address, err)
}

// given returns the listeners that systemd gives to this process, by the protocol of sd_listen_fds(3).
func given() (all []net.Listener) {
	const first = 3
	n, _ := strconv.Atoi(os.Getenv("LISTEN_FDS"))
	if os.Getenv("LISTEN_PID") != strconv.Itoa(os.Getpid()) {
		n = 0
	}
	for fd := range n {
		file := os.NewFile(uintptr(first+fd), "listener")
		if l, err := net.FileListener(file); err == nil {
			all = append(all, l)
		}
		file.Close()
	}
	return all
}

// closeUnused closes what systemd gave for no setting, where visitors would wait for ever.
func (p *process) closeUnused() {
	for _, l := range p.given {
		p.log.Warn(words.Say("systemd gave a socket that no {-listen} and no {-admin} names by its port, so nobody answers "+
			"there"), "at", l.Addr())
		l.Close()
	}
	p.given = nil
}
