package leak_test

import (
	"encoding/binary"
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

// of returns what draws n characters of a set.
func of(set string, n int) func(*rand.Rand) string {
	return func(r *rand.Rand) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = set[r.IntN(len(set))]
		}
		return string(b)
	}
}

func uuids(r *rand.Rand) string {
	b := make([]byte, 16)
	binary.BigEndian.PutUint64(b, r.Uint64())
	binary.BigEndian.PutUint64(b[8:], r.Uint64())
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// tokens returns n tokens, always the same for one seed.
func tokens(of func(*rand.Rand) string, n int, seed uint64) (all []string) {
	r := rand.New(rand.NewPCG(seed, 0))
	for range n {
		all = append(all, of(r))
	}
	return all
}
