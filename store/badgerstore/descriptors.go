package badgerstore

import "fmt"

// reserveDescriptors returns how many more files a process of that limit must be
// able to open for anything to be written. Badger takes the want of one badly: a
// commit that cannot open its log leaves the database unusable, and a compaction
// that cannot make a table goes on without it and deletes those it was to
// replace. A flush and two compactions take some 20 at a time; the rest is what
// others may take in the milliseconds between the look and the deed.
func reserveDescriptors(limit int) int { return max(64, min(limit/8, 512)) }

// judgeDescriptors returns an error if fewer files than the reserve and more can
// be opened.
func judgeDescriptors(left, limit, more int) error {
	need := reserveDescriptors(limit) + more
	if left >= need {
		return nil
	}
	return fmt.Errorf("this process can open %d more files, %d are needed; raise its limit of %d open files", left, need, limit)
}
