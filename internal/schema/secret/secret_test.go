package secret

import (
	"bytes"
	"errors"
	"testing"

	"github.com/servemap/servemap/internal/schema/codec"
	"github.com/servemap/servemap/internal/testkit/base"
)

func TestKeyIsReadAsItWasWritten(t *testing.T) {
	k := New()
	short := Key("short")
	for name, tt := range map[string]struct {
		stored []byte
		want   Key
		err    error
	}{
		"a key":          {k.Encode(), k, nil},
		"no record":      {nil, nil, nil},
		"another length": {short.Encode(), nil, codec.ErrDamaged},
		"a damaged one":  {k.Encode()[:10], nil, codec.ErrDamaged},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Read(tt.stored)
			if !bytes.Equal(got, tt.want) || !errors.Is(err, tt.err) {
				t.Errorf("Read returned %x, %v; want %x, %v", got, err, tt.want, tt.err)
			}
		})
	}
	if bytes.Equal(New(), New()) {
		t.Error("two new keys are the same")
	}
}

func TestSealedTextNeedsTheKeyAndTheLocation(t *testing.T) {
	k, text := New(), "/where-it-leads"
	sealed := k.Seal("/a", text, 1)
	if bytes.Contains(sealed, []byte(text[:8])) {
		t.Errorf("%q can be read in %q", text, sealed)
	}
	if bytes.Equal(sealed[8:], k.Seal("/a", text, 2)[8:]) {
		t.Error("two nonces give the same bytes")
	}
	for name, tt := range map[string]struct{ got, want string }{
		"key and location": {k.Unseal("/a", sealed), text},
		"nothing sealed":   {k.Unseal("/a", nil), ""},
		"only a nonce":     {k.Unseal("/a", k.Seal("/a", "", 1)), ""},
	} {
		base.Equal(t, tt.got, tt.want, "%s", name)
	}
	if k.Unseal("/b", sealed) == text || New().Unseal("/a", sealed) == text {
		t.Error("another location, or another key, unseals the text")
	}
}

func TestNamesDependOnTheKeyAndHideTheLocation(t *testing.T) {
	k := New()
	if name := k.Name("/a"); ID(name.Hash) != name.ID {
		t.Errorf("the ID is %x, and by its hash %x", name.ID, ID(name.Hash))
	}
	if k.Name("/a") == k.Name("/b") || k.Name("/a") == New().Name("/a") {
		t.Error("two locations, or two keys, give one name")
	}
	if ID("no hash") != 0 || ID("") != 0 {
		t.Error("what is no hash has an ID")
	}
}

func TestHashesOfOneTextDifferByPurposeAndKey(t *testing.T) {
	k := New()
	if k.Hash("a", "text") == k.Hash("b", "text") || k.Hash("a", "text") == New().Hash("a", "text") {
		t.Error("two purposes, or two keys, give one hash")
	}
}
