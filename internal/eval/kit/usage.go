package kit

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/metrics"
	"strconv"
	"time"
)

// Usage is what the process and the files of its store use, in bytes.
type Usage struct {
	Anonymous int64 // resident memory without a file behind it; 0 if the system does not report it as Linux does
	Heap      int64 // objects of Go's heap, including dead ones not yet swept
	Disk      int64
}

// Measure returns the present usage. Disk is 0 for the folder "".
func Measure(folder string) (u Usage) {
	samples := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(samples)
	u.Heap = int64(samples[0].Value.Uint64())
	u.Anonymous = anonymous()
	if folder != "" {
		u.Disk = DiskBytes(folder)
	}
	return u
}

// anonymous reads /proc/self/status, where the number is in kB.
func anonymous() int64 {
	status, _ := os.ReadFile("/proc/self/status")
	_, rest, _ := bytes.Cut(status, []byte("\nRssAnon:"))
	line, _, _ := bytes.Cut(rest, []byte("kB"))
	n, _ := strconv.ParseInt(string(bytes.TrimSpace(line)), 10, 64)
	return n << 10
}

// Max returns the larger value of each field.
func (u Usage) Max(v Usage) Usage {
	return Usage{max(u.Anonymous, v.Anonymous), max(u.Heap, v.Heap), max(u.Disk, v.Disk)}
}

// DiskBytes returns what du would. Files that vanish meanwhile count as nothing.
func DiskBytes(folder string) (sum int64) {
	_ = filepath.WalkDir(folder, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		if info, err := d.Info(); err == nil {
			sum += allocated(info)
		}
		return nil
	})
	return sum
}

// MB returns bytes in MiB.
func MB(bytes int64) float64 { return float64(bytes) / (1 << 20) }

// Milliseconds returns a time as a number.
func Milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// Share returns n / of, and 0 if of is 0.
func Share(n, of int) float64 { return float64(n) / float64(max(of, 1)) }

// One returns 1 for true, and 0 for false.
func One(is bool) int {
	if is {
		return 1
	}
	return 0
}
