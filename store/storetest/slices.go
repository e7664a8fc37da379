package storetest

import "slices"

// clone keeps nil nil, and empty empty.
func clone(b []byte) []byte { return slices.Clone(b) }

func cloneAll(values [][]byte) [][]byte {
	out := make([][]byte, len(values))
	for i, value := range values {
		out[i] = clone(value)
	}
	return out
}

func fill(b []byte, c byte) {
	for i := range b {
		b[i] = c
	}
}

// patterned returns n bytes that hardly compress.
func patterned(n int) []byte {
	b := make([]byte, n)
	x := uint32(n)
	for i := range b {
		x = x*1664525 + 1013904223 // Numerical Recipes' generator
		b[i] = byte(x >> 24)
	}
	return b
}
