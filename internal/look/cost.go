package look

import (
	"bytes"
	"time"
)

// What reading takes of a core of 2.5 GHz, with the memory that is thrown away by
// it and the merging of what was read. It is not measured page by page: while
// others use the core, a clock says several times as much. To ask the system for
// the thread's own time is worse: then the worker loses its turn at each page.
const (
	pageCost   = 100 * time.Microsecond
	byteCost   = 2 * time.Nanosecond
	tagCost    = 150 * time.Nanosecond
	entityCost = 50 * time.Nanosecond
	unpackCost = 2 * time.Nanosecond // of a byte that was packed
)

// readingCost returns what it takes to read all of a page. body is decoded; packed
// says that it had to be.
func readingCost(body []byte, packed bool) time.Duration {
	cost := pageCost + time.Duration(len(body))*byteCost +
		time.Duration(bytes.Count(body, []byte("<")))*tagCost +
		time.Duration(bytes.Count(body, []byte("&")))*entityCost
	if packed {
		cost += time.Duration(len(body)) * unpackCost
	}
	return cost
}
