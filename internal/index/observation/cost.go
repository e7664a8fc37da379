package observation

import (
	"bytes"
	"time"
)

// The costs of reading on a core of 2.5 GHz, including its garbage and the merging, with pauses
// between the pages. In a loop it takes two thirds of that, but on a site other work uses the
// processor's caches between two pages. The costs are not measured page by page: if others use the
// core, a clock shows several times as much. Asking the system for the thread's own time is worse,
// since the worker then loses its turn at each page.
const (
	pageCost   = 180 * time.Microsecond
	byteCost   = 14 * time.Nanosecond
	tagCost    = 550 * time.Nanosecond
	entityCost = 45 * time.Nanosecond
	unpackCost = 6 * time.Nanosecond // per byte that was packed

	// LinkCost is what it takes to merge one link that was not known.
	LinkCost = 6 * time.Microsecond
)

// readingCost returns how long it takes to read a whole page. body is decoded. packed says that it
// was encoded before.
func readingCost(body []byte, packed bool) time.Duration {
	cost := pageCost + time.Duration(len(body))*byteCost +
		time.Duration(bytes.Count(body, []byte("<")))*tagCost +
		time.Duration(bytes.Count(body, []byte("&")))*entityCost
	if packed {
		cost += time.Duration(len(body)) * unpackCost
	}
	return cost
}
