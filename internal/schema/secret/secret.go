// Package secret hashes and encrypts what must not be stored in clear: locations that may not be public. Each site has
// a random key in its store. Whoever reads the store without knowing a location learns neither the location nor what is
// sealed for it.
package secret

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"strconv"

	"github.com/servemap/servemap/internal/schema/codec"
)

// Key is the secret of one site. A nil Key means no secret.
type Key []byte

const keyBytes = 32

// New returns a random key.
func New() Key {
	k := make(Key, keyBytes)
	_, _ = rand.Read(k) // it never fails
	return k
}

// Encode returns the key as the record that [Read] reads.
func (k Key) Encode() []byte { return codec.Marshal([]byte(k)) }

// Read reads the record of a key. If b is nil, it returns nil without an error.
func Read(b []byte) (k Key, err error) {
	if b == nil {
		return nil, nil
	}
	if err = codec.Unmarshal(b, &k); err == nil && len(k) != keyBytes {
		err = codec.ErrDamaged
	}
	if err != nil {
		return nil, err
	}
	return k, nil
}

func (k Key) sum(purpose, text string) [sha256.Size]byte {
	mac := hmac.New(sha256.New, k)
	mac.Write([]byte(purpose))
	mac.Write([]byte{0})
	mac.Write([]byte(text))
	return [sha256.Size]byte(mac.Sum(nil))
}

// Hash returns 64 bits that tell a text from others with the same purpose.
func (k Key) Hash(purpose, text string) uint64 {
	sum := k.sum(purpose, text)
	return binary.BigEndian.Uint64(sum[:])
}

// Seal encrypts text so that only somebody with the key and the location can read it. nonce must
// differ for each text.
func (k Key) Seal(location, text string, nonce int64) []byte {
	out := binary.BigEndian.AppendUint64(make([]byte, 0, 8+len(text)), uint64(nonce))
	out = append(out, text...)
	k.mask(location, out)
	return out
}

// Unseal returns the text that was sealed, or "" if nothing was.
func (k Key) Unseal(location string, sealed []byte) string {
	if len(sealed) < 8 {
		return ""
	}
	out := bytes.Clone(sealed)
	k.mask(location, out)
	return string(out[8:])
}

// mask encrypts or decrypts the bytes of b after the nonce.
func (k Key) mask(location string, b []byte) {
	key := k.sum("seal", location)
	block, err := aes.NewCipher(key[:])
	if err != nil {
		panic(err) // the key's length is one of AES's
	}
	iv := make([]byte, aes.BlockSize)
	copy(iv, b[:8])
	cipher.NewCTR(block, iv).XORKeyStream(b[8:], b[8:])
}

// Name stands for a location where the location itself must not appear.
type Name struct {
	Hash string // the name of its record
	ID   uint64 // the first 64 bits of Hash
}

// Name returns the name of a location.
func (k Key) Name(location string) Name {
	sum := k.sum("location", location)
	return Name{hex.EncodeToString(sum[:16]), binary.BigEndian.Uint64(sum[:])}
}

// ID returns the ID of the location whose name has this hash, 0 if it is no hash.
func ID(hash string) uint64 {
	id, _ := strconv.ParseUint(hash[:min(16, len(hash))], 16, 64) // it is 0 if this fails
	return id
}
