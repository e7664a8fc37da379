package explore

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/netip"
	"net/url"
	"os"
	"syscall"
	"testing"

	"github.com/servemap/servemap/internal/page/location"
)

func TestErrorOfARequestIsToldInPlainWords(t *testing.T) {
	within := func(err error) error {
		return &url.Error{Op: "Get", URL: "https://tea.example/draft", Err: &net.OpError{Op: "dial", Net: "tcp", Err: err}}
	}
	for _, tt := range []struct {
		name, want string
		err        error
	}{
		{"a name that leads nowhere", "there is no such host",
			&net.DNSError{Err: "no such host", Name: "tea.example", Server: "10.0.0.53:53", IsNotFound: true}},
		{"a name server that fails, which is named",
			"lookup tea.example on 10.0.0.53:53: server misbehaving",
			&net.DNSError{Err: "server misbehaving", Name: "tea.example", Server: "10.0.0.53:53"}},
		{"a port where nothing listens", "the connection is refused", os.NewSyscallError("connect", syscall.ECONNREFUSED)},
		{"a server that hangs up", "the connection is closed without an answer",
			os.NewSyscallError("read", syscall.ECONNRESET)},
		{"a text that ends early", "it breaks off before its end", io.ErrUnexpectedEOF},
		{"a server that hangs", "no whole answer came in time", context.DeadlineExceeded},
		{"a certificate", "its certificate is not valid: certificate signed by unknown authority",
			&tls.CertificateVerificationError{Err: errors.New("x509: certificate signed by unknown authority")}},
	} {
		if err := Plain(within(tt.err)); err.Error() != tt.want || !errors.Is(err, tt.err) {
			t.Errorf("%s: %q, want %q", tt.name, err, tt.want)
		}
	}
}

func TestNameInPublicIsNotFollowedIntoAPrivateNetwork(t *testing.T) {
	for _, tt := range []struct {
		origin, address string
		want            bool
	}{
		{"https://example.com", "93.184.216.34:443", true}, {"https://example.com", "[2606:2800:220:1::1]:443", true},
		{"https://example.com", "127.0.0.1:443", false}, {"https://example.com", "[::1]:443", false},
		{"https://example.com", "10.0.0.7:443", false},
		{"https://example.com", "192.168.1.1:443", false}, {"https://example.com", "[fd00::1]:443", false},
		{"https://example.com", "169.254.169.254:80", false},
		{"https://example.com", "[::ffff:127.0.0.1]:443", false}, {"https://example.com", "100.64.0.1:443", false},
		{"https://example.com", "0.0.0.0:443", false},
		{"https://example.com", "[64:ff9b::7f00:1]:443", false}, {"https://example.com", "[2002:7f00:1::1]:443", false},
		{"https://example.com", "[fec0::1]:443", false}, {"https://example.com", "[::7f00:1]:443", false},
		{"https://example.com", "[fe80::1%eth0]:443", false}, {"https://example.com:8443", "127.0.0.1:8443", false},
		{"http://localhost:8080", "127.0.0.1:8080", true}, {"http://127.0.0.1:8080", "127.0.0.1:8080", true},
		{"http://192.168.1.1", "192.168.1.1:80", true}, {"http://shop.internal", "10.0.0.7:80", true},
	} {
		origin, err := location.ParseOrigin(tt.origin)
		if err != nil {
			t.Fatal(err)
		}
		if got := mayDial(origin, netip.MustParseAddrPort(tt.address).Addr()); got != tt.want {
			t.Errorf("%s at %s: %v, want %v", tt.origin, tt.address, got, tt.want)
		}
	}
}
