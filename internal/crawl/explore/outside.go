package explore

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"time"

	"github.com/servemap/servemap/internal/admin/messages"
	"github.com/servemap/servemap/internal/page/location"
)

// ErrElsewhere says that the public origin does not lead to this process.
var ErrElsewhere = errors.New("the origin does not lead to this process")

// ErrAnother says that it leads to another process that shares the records of this one.
var ErrAnother = errors.New("another process with the same database answered")

const (
	proofPatience = 5 * time.Second        // so long a server, and what is in front of it, may take to start
	firstProof    = 250 * time.Millisecond // between the first two tries, doubled each time
)

// Led is the error of an origin that keeps strangers out before a request comes to this process: it asks them to log
// in, refuses them or leads them elsewhere.
type Led struct {
	Status int
	To     string // a location, or an address of another host; "" for none
}

func (e Led) Error() string {
	if e.To == "" {
		return fmt.Sprintf("it answered with %d", e.Status)
	}
	return fmt.Sprintf("it answered with %d, which leads to %s", e.Status, e.To)
}

// prove finds out whether the origin leads to this process: there is a file at the origin that nobody else
// can know.
func (e *explorer) prove(ctx context.Context) error {
	begun := time.Now()
	for wait := firstProof; ; wait *= 2 {
		loc, says, another := e.Door.Proof() // it may share its records once it has read them
		a := e.request(ctx, loc)
		why := a.err
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case why != nil:
		case moved(e.Normalizer.Origin(), loc, a) != nil:
			return fmt.Errorf("%w: %w", ErrElsewhere, moved(e.Normalizer.Origin(), loc, a))
		case a.status/100 == 3 && e.leads(loc, a) != "", a.status == http.StatusUnauthorized, a.status == http.StatusForbidden:
			why = Led{a.status, e.leads(loc, a)}
		case a.status != http.StatusOK:
			why = fmt.Errorf("it answered with %d", a.status)
		case string(a.body) == another && another != "":
			why = ErrAnother
		case string(a.body) != says:
			why = errors.New("another program answered")
		default:
			return nil
		}
		unknown := (*net.DNSError)(nil)
		if time.Since(begun)+wait > proofPatience && errors.As(why, &unknown) && unknown.IsNotFound {
			return fmt.Errorf("%w: %s has no DNS entry yet", ErrElsewhere, unknown.Name)
		} else if time.Since(begun)+wait > proofPatience {
			return fmt.Errorf("%w: %s: %w", ErrElsewhere, e.Normalizer.Origin(), why)
		}
		if err := sleep(ctx, wait); err != nil {
			return err
		}
	}
}

// leads returns where a redirect leads, without its query on another host: that may have more than strangers should
// read.
func (e *explorer) leads(loc string, a answer) string {
	header := a.header.Get("Location")
	to, err := url.Parse(header)
	if err != nil || header == "" {
		return ""
	}
	if at := e.Normalizer.Resolve(loc, header).Location; at != "" {
		return at
	}
	return to.Host + to.EscapedPath()
}

// moved returns an error that names the origin to write instead, if an answer redirects to the same path at
// another host or by another scheme.
func moved(origin location.Origin, loc string, a answer) error {
	to, err := url.Parse(a.header.Get("Location"))
	if a.status < 300 || a.status >= 400 || err != nil || to.Host == "" || to.EscapedPath() != loc {
		return nil
	}
	is := to.Scheme + "://" + to.Host
	if strings.HasPrefix(origin.URL("/"), is+"/") {
		return nil
	}
	return Moved{is + strings.TrimSuffix(origin.Folder(), "/")}
}

// Moved says that the origin redirects to another one.
type Moved struct{ To string }

func (m Moved) Error() string {
	return fmt.Sprintf("the origin redirects to %s; %s", m.To, messages.MovedTo(m.To))
}

// NewClient returns a client that asks nobody but the origin: it follows no redirect and uses no
// proxy. Unless the origin itself is private, it connects to no private address: whoever controls
// a name could point it into the network of this machine.
func NewClient(origin location.Origin) *http.Client {
	dialer := &net.Dialer{Timeout: requestPatience, Control: func(_, address string, _ syscall.RawConn) error {
		to, err := netip.ParseAddrPort(address)
		if err != nil || !mayDial(origin, to.Addr()) {
			return errors.New("from here its name leads to an address that is not public")
		}
		return nil
	}}
	return &http.Client{
		Transport: &http.Transport{
			DialContext: dialer.DialContext, ForceAttemptHTTP2: true, DisableCompression: true,
			IdleConnTimeout: time.Minute, MaxResponseHeaderBytes: 256 << 10,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// special are networks without public hosts, besides those that netip knows.
var special = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"), netip.MustParsePrefix("100.64.0.0/10"), netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("198.18.0.0/15"), netip.MustParsePrefix("240.0.0.0/4"),
	netip.MustParsePrefix("2001::/23"), netip.MustParsePrefix("2002::/16"), // these lead to other addresses
}

// global has all addresses of IPv6 that are given to public hosts.
var global = netip.MustParsePrefix("2000::/3")

// mayDial reports whether a connection to an address may be one to the origin.
func mayDial(origin location.Origin, addr netip.Addr) bool {
	if _, public := location.PublicHost("", origin.Host()); !public {
		return true
	}
	addr = addr.Unmap().WithZone("")
	for _, n := range special {
		if n.Contains(addr) {
			return false
		}
	}
	return addr.IsGlobalUnicast() && !addr.IsPrivate() && (addr.Is4() || global.Contains(addr))
}

// plain is an error in words for people.
type plain struct {
	text string
	err  error
}

func (p plain) Error() string { return p.text }
func (p plain) Unwrap() error { return p.err }

// Plain says in plain words why a request got no answer, or not all of it. It leaves the URL out: the page may not be
// public. An error that needs no words stays as it is.
func Plain(err error) error {
	if of := (*url.Error)(nil); errors.As(err, &of) {
		err = of.Err
	}
	op, dns, cert, slow := (*net.OpError)(nil), (*net.DNSError)(nil), (*tls.CertificateVerificationError)(nil), net.Error(nil)
	switch {
	case errors.As(err, &dns) && dns.IsNotFound:
		return plain{"there is no such host", err}
	case errors.As(err, &cert):
		return plain{"its certificate is not valid: " + strings.TrimPrefix(cert.Err.Error(), "x509: "), err}
	case errors.As(err, &slow) && slow.Timeout():
		return plain{"no whole answer came in time", err}
	case errors.Is(err, io.ErrUnexpectedEOF):
		return plain{"it breaks off before its end", err}
	case errors.Is(err, io.EOF), errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return plain{"the connection is closed without an answer", err}
	case errors.Is(err, syscall.ECONNREFUSED):
		return plain{"the connection is refused", err}
	case errors.Is(err, http.ErrSchemeMismatch), errors.As(err, new(tls.RecordHeaderError)):
		return plain{"it speaks plain http", err}
	case errors.As(err, &op):
		return op.Err // without addresses of this machine
	}
	return err
}
