package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A damage is done to one file of a copied folder. It returns what it did, "" if there is no such file.
type damage struct {
	name string
	do   func(file string, rng *rand.Rand) error
}

var damages = []damage{
	{"cut to a part", func(file string, rng *rand.Rand) error {
		size, err := sizeOf(file)
		if err != nil || size == 0 {
			return err
		}
		return os.Truncate(file, rng.Int64N(size))
	}},
	{"cut by a few bytes", func(file string, rng *rand.Rand) error {
		size, err := sizeOf(file)
		if err != nil {
			return err
		}
		return os.Truncate(file, max(0, size-1-rng.Int64N(16)))
	}},
	{"emptied", func(file string, _ *rand.Rand) error { return os.Truncate(file, 0) }},
	{"removed", func(file string, _ *rand.Rand) error { return os.Remove(file) }},
	{"a bit flipped", func(file string, rng *rand.Rand) error {
		return change(file, func(b []byte) { b[rng.IntN(len(b))] ^= 1 << rng.IntN(8) })
	}},
	{"a bit flipped in the first bytes", func(file string, rng *rand.Rand) error {
		return change(file, func(b []byte) { b[rng.IntN(min(len(b), 64))] ^= 1 << rng.IntN(8) })
	}},
	{"twenty bits flipped", func(file string, rng *rand.Rand) error {
		return change(file, func(b []byte) {
			for range 20 {
				b[rng.IntN(len(b))] ^= 1 << rng.IntN(8)
			}
		})
	}},
	{"a page zeroed", func(file string, rng *rand.Rand) error {
		return change(file, func(b []byte) {
			at := rng.IntN(len(b)) &^ 4095
			clear(b[at:min(len(b), at+4096)])
		})
	}},
	{"the first page zeroed", func(file string, _ *rand.Rand) error {
		return change(file, func(b []byte) { clear(b[:min(len(b), 4096)]) })
	}},
	{"overwritten with noise", func(file string, rng *rand.Rand) error {
		return change(file, func(b []byte) {
			at := rng.IntN(len(b))
			for i := at; i < min(len(b), at+512); i++ {
				b[i] = byte(rng.Uint32())
			}
		})
	}},
	{"doubled", func(file string, _ *rand.Rand) error {
		b, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		return os.WriteFile(file, append(b, b...), 0o600)
	}},
	{"swapped with the next", func(file string, _ *rand.Rand) error { return swap(file) }},
}

// kinds are the files that a folder of the store has.
var kinds = []string{"MANIFEST", ".sst", ".mem", ".vlog", "KEYREGISTRY", "DISCARD", "LOCK", "synced", "opening"}

func sizeOf(file string) (int64, error) {
	info, err := os.Stat(file)
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// change changes what a file says, up to its last byte that is not zero: logs are longer than what is in them.
func change(file string, f func([]byte)) error {
	b, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if used := []byte(strings.TrimRight(string(b), "\x00")); len(used) > 0 {
		f(used)
		copy(b, used)
	}
	return os.WriteFile(file, b, 0o600)
}

// swap exchanges a file with another one of its folder, and empties it if there is none.
func swap(file string) error {
	entries, err := os.ReadDir(filepath.Dir(file))
	if err != nil {
		return err
	}
	others := slices.DeleteFunc(entries, func(e os.DirEntry) bool { return e.IsDir() })
	i := slices.IndexFunc(others, func(e os.DirEntry) bool { return e.Name() == filepath.Base(file) })
	if len(others) < 2 || i < 0 {
		return os.Truncate(file, 0)
	}
	with, spare := filepath.Join(filepath.Dir(file), others[(i+1)%len(others)].Name()), file+".swap"
	return errors.Join(os.Rename(file, spare), os.Rename(with, file), os.Rename(spare, with))
}

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

// copyTree copies a folder of files and folders.
func copyTree(from, to string) error {
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		return fmt.Errorf("copying the image: %w", err)
	}
	return nil
}
