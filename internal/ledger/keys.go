package ledger

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/servemap/servemap/internal/keys"
)

// wait returns the key of a location that is not public.
func (s secret) wait(k keys.Keys, location string) string {
	sum := s.sum("location", location)
	return k.Wait(hex.EncodeToString(sum[:16]))
}

// idOf returns the id of the location that a key made by wait stands for, 0 if it
// is none.
func idOf(k keys.Keys, wait string) uint64 {
	digits := strings.TrimPrefix(wait, k.Waits())
	id, _ := strconv.ParseUint(digits[:min(16, len(digits))], 16, 64) // it is hexadecimal
	return id
}

// isLocation reports whether a stored text can be a location, and so stand in a key.
func isLocation(s string) bool {
	for i := range len(s) {
		if s[i] <= ' ' || s[i] > '~' {
			return false
		}
	}
	return strings.HasPrefix(s, "/") && len(s) <= keys.MaxLocation
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
