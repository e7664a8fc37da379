//go:build !unix

package kit

import (
	"io/fs"
	"time"
)

func allocated(info fs.FileInfo) int64 { return info.Size() }

// CPUTime returns 0.
func CPUTime() time.Duration { return 0 }
