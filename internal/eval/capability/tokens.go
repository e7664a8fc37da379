package main

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"strings"
)

// kind is a kind of token, as common software makes them.
type kind struct {
	name     string
	bits     float64 // bits that cannot be guessed
	required float64 // share that must be found; 0 for none
	draw     func(r *rand.Rand) string
}

const (
	digits   = "0123456789"
	small    = "abcdefghijklmnopqrstuvwxyz"
	capitals = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	base36   = digits + small
	base62   = base36 + capitals
	nanoid   = base62 + "-_"
	base58   = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
	crock    = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
	rfc4648  = capitals + "234567"
)

var kinds = []kind{
	{"UUID v4", 122, 1, func(r *rand.Rand) string { return uuid(r) }},
	{"UUID v4, upper case, in braces", 122, 1, func(r *rand.Rand) string { return "%7B" + strings.ToUpper(uuid(r)) + "%7D" }},
	{"UUID v4 without dashes", 122, 1, func(r *rand.Rand) string { return strings.ReplaceAll(uuid(r), "-", "") }},
	{"hex 16", 64, 1, hexOf(8)},
	{"hex 32", 128, 1, hexOf(16)},
	{"hex 64", 256, 1, hexOf(32)},
	{"ULID", 80, 1, ulid},
	{"JWT", 256, 1, jwt},
	{"base64url 16 bytes (22)", 128, 0.999, base64Of(16)},
	{"base64url 32 bytes (43)", 256, 0.999, base64Of(32)},
	{"nanoid 21", 126, 0.999, from(nanoid, 21)},
	{"base62 16", 95, 0.999, from(base62, 16)},
	{"base58 22", 129, 0.999, from(base58, 22)},
	{"base36 16, lower case", 83, 0.999, from(base36, 16)},
	{"base36 16, upper case", 83, 0.999, from(strings.ToUpper(base36), 16)},
	{"base32 16, upper case", 80, 0.999, from(rfc4648, 16)},
	{"base32 16, lower case", 80, 0.999, from(strings.ToLower(rfc4648), 16)},
	{"base32 of 20 bytes (32)", 160, 0.999, func(r *rand.Rand) string { return base32.StdEncoding.EncodeToString(bytesOf(r, 20)) }},
	{"Crockford 16, upper case", 80, 0.999, from(crock, 16)},
	{"Crockford 16, lower case", 80, 0.999, from(strings.ToLower(crock), 16)},
	{"signed id, id--sig", 160, 0.999, func(r *rand.Rand) string {
		return base64.RawURLEncoding.EncodeToString(fmt.Append(nil, r.IntN(1e6))) + "--" + hexOf(20)(r)
	}},
	{"a title and base62 16", 95, 0.999, func(r *rand.Rand) string { return "my-holiday-photos-" + from(base62, 16)(r) }},
	{"base62 8", 48, 0.97, from(base62, 8)},
	{"base36 8", 41, 0, from(base36, 8)},
	{"a-z 10", 47, 0, from(small, 10)},
}

// from returns a function that draws n characters of an alphabet.
func from(alphabet string, n int) func(*rand.Rand) string {
	return func(r *rand.Rand) string {
		token := make([]byte, n)
		for i := range token {
			token[i] = alphabet[r.IntN(len(alphabet))]
		}
		return string(token)
	}
}

func bytesOf(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

func hexOf(n int) func(*rand.Rand) string {
	return func(r *rand.Rand) string { return hex.EncodeToString(bytesOf(r, n)) }
}

func base64Of(n int) func(*rand.Rand) string {
	return func(r *rand.Rand) string { return base64.RawURLEncoding.EncodeToString(bytesOf(r, n)) }
}

func uuid(r *rand.Rand) string {
	b := bytesOf(r, 16)
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// ulid draws a ULID of this century: ten characters of milliseconds and sixteen random
// ones.
func ulid(r *rand.Rand) string {
	ms := uint64(946684800000) + r.Uint64N(3155760000000)
	id := make([]byte, 10)
	for i := range id {
		id[i] = crock[ms>>(45-5*i)&31]
	}
	return string(id) + from(crock, 16)(r)
}

func jwt(r *rand.Rand) string {
	encode := base64.RawURLEncoding.EncodeToString
	claims := fmt.Appendf(nil, `{"sub":"%d","exp":%d}`, r.IntN(1e6), 1700000000+r.IntN(1e8))
	return encode([]byte(`{"alg":"HS256"}`)) + "." + encode(claims) + "." + base64Of(32)(r)
}
