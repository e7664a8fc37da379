package ledger

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"github.com/servemap/servemap/internal/part"
	"github.com/servemap/servemap/store"
)

// keys names the records of one site. All begin with the site's origin, so
// that several sites share a store, and what was learned under one origin is
// never listed under another.
//
//	site            the secret, see secret
//	trust           the sources whose dates were caught lying
//	page|LOCATION   the state of a page that is or was listed, and so is public
//	wait|HASH       the state of any other location: nobody can read which one
//	lost|LOCATION   a listed page that may be gone, while it has its minute
//	refusals        which networks are refused pages, see refusal
//	kin|HASH        how many pages of a route or folder are listed, see kin
//	twin|HASH       which pages show one content, see twin
//	active          when the site was observed, see activity
//	furniture       what the pages have in common, see furniture
//	robots|N        what the site's robots.txt says, in pieces
//	told|PROCESS    what one of several processes has changed, see bulletin
//	extensions      for which extensions the pages were read
//	head, part|N, list|N|LOCATION, file|N, index|N: see package part
//	journal, log|TIME|LOCATION: see [part.Journal]
//	article|TIME|LOCATION, articles: see package part
type keys string

// originBytes is the longest origin that leaves room for the longest location
// in a key.
const originBytes = store.MaxKey - locationBytes - part.LogKeyBytes

func newKeys(origin string) (keys, error) {
	if len(origin) > originBytes {
		return "", fmt.Errorf("origin is %d bytes long, at most %d can be stored", len(origin), originBytes)
	}
	return keys(origin + "|"), nil
}

func (k keys) parts() part.Keys               { return part.Keys(k) }
func (k keys) site() string                   { return string(k) + "site" }
func (k keys) trust() string                  { return string(k) + "trust" }
func (k keys) pages() string                  { return string(k) + "page|" }
func (k keys) page(location string) string    { return k.pages() + location }
func (k keys) waits() string                  { return string(k) + "wait|" }
func (k keys) losts() string                  { return string(k) + "lost|" }
func (k keys) lost(location string) string    { return k.losts() + location }
func (k keys) kin(group uint64) string        { return fmt.Sprintf("%skin|%016x", string(k), group) }
func (k keys) twin(showing uint64) string     { return fmt.Sprintf("%stwin|%016x", string(k), showing) }
func (k keys) refusals() string               { return string(k) + "refusals" }
func (k keys) active() string                 { return string(k) + "active" }
func (k keys) furniture() string              { return string(k) + "furniture" }
func (k keys) bulletins() string              { return string(k) + "told|" }
func (k keys) bulletin(process string) string { return k.bulletins() + process }
func (k keys) extensions() string             { return string(k) + "extensions" }
func (k keys) robots(piece int) string        { return fmt.Sprintf("%srobots|%03d", string(k), piece) }
func (k keys) wait(s secret, location string) string {
	sum := s.sum("location", location)
	return k.waits() + hex.EncodeToString(sum[:16])
}

// idOf returns the id of the location that a key made by wait stands for, 0 if it
// is none.
func (k keys) idOf(wait string) uint64 {
	digits := strings.TrimPrefix(wait, k.waits())
	id, _ := strconv.ParseUint(digits[:min(16, len(digits))], 16, 64) // it is hexadecimal
	return id
}

// locationBytes is the length of the longest location.
const locationBytes = 1024

// isLocation reports whether a stored text can be a location, and so stand in a key.
func isLocation(s string) bool {
	for i := range len(s) {
		if s[i] <= ' ' || s[i] > '~' {
			return false
		}
	}
	return strings.HasPrefix(s, "/") && len(s) <= locationBytes
}

// secret keys the hashes of what must not be stored in clear: locations that
// may not be public, and client networks.
type secret []byte

const secretBytes = 32

func (s secret) sum(purpose, text string) [sha256.Size]byte {
	mac := hmac.New(sha256.New, s)
	mac.Write([]byte(purpose))
	mac.Write([]byte{0})
	mac.Write([]byte(text))
	return [sha256.Size]byte(mac.Sum(nil))
}

// id returns 64 bits of the hash under which a location waits.
func (s secret) id(location string) uint64 {
	sum := s.sum("location", location)
	return binary.BigEndian.Uint64(sum[:])
}

// network returns 16 bits of a client network: enough to tell a few apart, too
// few to tell which they are.
func (s secret) network(prefix string) uint16 {
	sum := s.sum("network", prefix)
	return binary.BigEndian.Uint16(sum[:])
}

// seal returns text so that only who knows the location can read it. nonce must
// be another one for each text.
func (s secret) seal(location, text string, nonce int64) []byte {
	out := binary.BigEndian.AppendUint64(make([]byte, 0, 8+len(text)), uint64(nonce))
	out = append(out, text...)
	s.mask(location, out)
	return out
}

// unseal returns what was sealed, "" if nothing was.
func (s secret) unseal(location string, sealed []byte) string {
	if len(sealed) < 8 {
		return ""
	}
	out := bytes.Clone(sealed)
	s.mask(location, out)
	return string(out[8:])
}

// mask encrypts, or decrypts, what follows the nonce at the beginning of b.
func (s secret) mask(location string, b []byte) {
	key := s.sum("seal", location)
	block, err := aes.NewCipher(key[:])
	if err != nil {
		panic(err) // the key's length is one of AES's
	}
	iv := make([]byte, aes.BlockSize)
	copy(iv, b[:8])
	cipher.NewCTR(block, iv).XORKeyStream(b[8:], b[8:])
}

// short returns 64 bits of a text that only has to be told from others.
func (s secret) short(purpose, text string) uint64 {
	sum := s.sum(purpose, text)
	return binary.BigEndian.Uint64(sum[:])
}
