package leak_test

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
)

// vocabulary has words of at least six letters. None of them says anything about a page.
var vocabulary = strings.Fields(`amber anchor basalt beacon bramble bridge butter candle canyon carpet castle cellar cherry circle
	cobalt copper cotton cradle crimson crystal dancer desert dragon ember engine fabric falcon feather fiddle flower forest fossil
	galaxy garnet ginger glacier granite hammer harbour harvest hazel helmet hollow island ivory jacket jasmine jungle kettle kitten
	ladder lantern lemon lettuce linen lizard magnet mammoth marble meadow mirror monsoon mountain mustard needle nutmeg oboist
	orchard otters oyster paddle parade pebble pepper pigeon pillow planet plaster pocket prairie puzzle quarry quartz rabbit raisin
	ribbon river rocket saddle saffron salmon sandal scarlet shadow shelter silver spruce squash starling stream summer sunset tailor
	temple thistle thunder timber tulips tundra turnip valley velvet violet walnut whisper willow window winter yellow zephyr zigzag`)

var worded atomic.Uint64

// words returns three words. No other call returns the same last two.
func words() string {
	n := int(worded.Add(1))
	half := len(vocabulary) / 2
	if n >= half*half {
		panic("there are not so many words")
	}
	first, last := vocabulary[:half], vocabulary[half:]
	return strings.Join([]string{first[n*7%half], first[n%half], last[(n+n/half)%half]}, "-")
}

// kind is a kind of token. sure says that its randomness shows, so that it is recognised anywhere.
// Other kinds need something else to give them away.
type kind struct {
	name string
	sure bool
	make func(*rand.Rand) string
}

const (
	lower = "abcdefghijklmnopqrstuvwxyz"
	digit = "0123456789"
	upper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
)

func letters(r *rand.Rand, set string, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = set[r.IntN(len(set))]
	}
	return string(b)
}

func of(set string, n int) func(*rand.Rand) string {
	return func(r *rand.Rand) string { return letters(r, set, n) }
}

func octets(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

func uuids(r *rand.Rand) string {
	b := octets(r, 16)
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

func base64url(n int) func(*rand.Rand) string {
	return func(r *rand.Rand) string { return base64.RawURLEncoding.EncodeToString(octets(r, n)) }
}

func hexes(n int) func(*rand.Rand) string {
	return func(r *rand.Rand) string { return hex.EncodeToString(octets(r, n/2)) }
}

func jwts(r *rand.Rand) string {
	claims := fmt.Sprintf(`{"sub":"%d","exp":%d}`, r.IntN(1e9), 1_700_000_000+r.IntN(1e8))
	return "eyJhbGciOiJIUzI1NiJ9." + base64.RawURLEncoding.EncodeToString([]byte(claims)) + "." + base64url(32)(r)
}

// signed returns a number with its signature.
func signed(r *rand.Rand) string { return fmt.Sprintf("%d--%s", r.IntN(1e6), hexes(40)(r)) }

// kinds are the tokens that sites put into locations.
var kinds = []kind{
	{"uuid", true, uuids},
	{"uuid, upper case", true, func(r *rand.Rand) string { return strings.ToUpper(uuids(r)) }},
	{"ulid", true, func(r *rand.Rand) string { return "01" + letters(r, "0123456789ABCDEFGHJKMNPQRSTVWXYZ", 24) }},
	{"jwt", true, jwts},
	{"hex 16", true, hexes(16)},
	{"hex 32", true, hexes(32)},
	{"hex 40", true, hexes(40)},
	{"hex 64", true, hexes(64)},
	{"base64url 16 bytes", true, base64url(16)},
	{"base64url 32 bytes", true, base64url(32)},
	{"nanoid", true, of(lower+upper+digit+"-_", 21)},
	{"base62 16", true, of(lower+upper+digit, 16)},
	{"base62 22", true, of(lower+upper+digit, 22)},
	{"base36 16", true, of(lower+digit, 16)},
	{"decimal 16", true, func(r *rand.Rand) string { return "4" + letters(r, digit, 15) }},
	{"signed id", true, signed},
	{"base62 8", false, of(lower+upper+digit, 8)},
	{"base62 10", false, of(lower+upper+digit, 10)},
	{"base62 12", false, of(lower+upper+digit, 12)},
	{"base36 8", false, of(lower+digit, 8)},
	{"base36 10", false, of(lower+digit, 10)},
	{"decimal 10", false, func(r *rand.Rand) string { return "7" + letters(r, digit, 9) }},
	{"letters, as of a meeting", false, func(r *rand.Rand) string {
		return letters(r, lower, 3) + "-" + letters(r, lower, 4) + "-" + letters(r, lower, 3)
	}},
	{"words", false, func(*rand.Rand) string { return words() }},
	{"number and words", false, func(r *rand.Rand) string { return fmt.Sprintf("%d-%s", r.IntN(1e5), words()) }},
}

// tokens returns n tokens, always the same for one seed.
func tokens(of func(*rand.Rand) string, n int, seed uint64) (all []string) {
	r := rand.New(rand.NewPCG(seed, 0))
	for range n {
		all = append(all, of(r))
	}
	return all
}
