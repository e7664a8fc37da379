package main

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// A damage is done to one file of a copied folder.
type damage struct {
	name string
	do   func(file string, rng *rand.Rand) error
}

var damages = []damage{
	{"cut to a part", edit(func(b []byte, rng *rand.Rand) []byte { return b[:rng.IntN(max(1, len(b)))] })},
	{"cut by a few bytes", edit(func(b []byte, rng *rand.Rand) []byte { return b[:max(0, len(b)-1-rng.IntN(16))] })},
	{"emptied", edit(func([]byte, *rand.Rand) []byte { return nil })},
	{"removed", func(file string, _ *rand.Rand) error { return os.Remove(file) }},
	{"a bit flipped", inUse(func(b []byte, rng *rand.Rand) { flip(b, rng) })},
	{"a bit flipped in the first bytes", inUse(func(b []byte, rng *rand.Rand) { flip(b[:min(len(b), 64)], rng) })},
	{"twenty bits flipped", inUse(func(b []byte, rng *rand.Rand) {
		for range 20 {
			flip(b, rng)
		}
	})},
	{"a page zeroed", inUse(func(b []byte, rng *rand.Rand) {
		at := rng.IntN(len(b)) &^ 4095
		clear(b[at:min(len(b), at+4096)])
	})},
	{"the first page zeroed", inUse(func(b []byte, _ *rand.Rand) { clear(b[:min(len(b), 4096)]) })},
	{"overwritten with noise", inUse(func(b []byte, rng *rand.Rand) {
		at := rng.IntN(len(b))
		for i := at; i < min(len(b), at+512); i++ {
			b[i] = byte(rng.Uint32())
		}
	})},
	{"doubled", edit(func(b []byte, _ *rand.Rand) []byte { return append(b, b...) })},
}

func flip(b []byte, rng *rand.Rand) { b[rng.IntN(len(b))] ^= 1 << rng.IntN(8) }

// edit replaces the bytes of a file.
func edit(f func(b []byte, rng *rand.Rand) []byte) func(string, *rand.Rand) error {
	return func(file string, rng *rand.Rand) error {
		b, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		return os.WriteFile(file, f(b, rng), 0o600)
	}
}

// inUse changes a file up to its last byte that is not zero: logs are longer than their content.
func inUse(f func(b []byte, rng *rand.Rand)) func(string, *rand.Rand) error {
	return edit(func(b []byte, rng *rand.Rand) []byte {
		if used := bytes.TrimRight(b, "\x00"); len(used) > 0 {
			f(used, rng)
		}
		return b
	})
}

// kinds are the files that a folder of the store has.
var kinds = []string{"MANIFEST", ".sst", ".mem", ".vlog", "KEYREGISTRY", "DISCARD", "LOCK", "opening"}

// victims returns the files of a kind below dir.
func victims(dir, kind string) (files []string) {
	_ = filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && strings.HasSuffix(path, kind) {
			files = append(files, path)
		}
		return nil
	})
	return files
}
