package main

import (
	"bytes"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// anonymous returns the process's resident anonymous memory in bytes; 0 where the system does not tell it as Linux does.
func anonymous() int64 {
	status, _ := os.ReadFile("/proc/self/status")
	_, rest, _ := bytes.Cut(status, []byte("\nRssAnon:"))
	line, _, _ := bytes.Cut(rest, []byte("kB"))
	n, _ := strconv.ParseInt(string(bytes.TrimSpace(line)), 10, 64) // 0 for what is missing
	return n << 10
}

// watch returns the most memory there is until a time.
func watch(until time.Time) (peak int64) {
	for time.Now().Before(until) {
		peak = max(peak, anonymous())
		time.Sleep(50 * time.Millisecond)
	}
	return peak
}

// diskBytes returns what du would.
func diskBytes(dir string) (sum int64, err error) {
	err = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		sum += allocated(info)
		return nil
	})
	return sum, err
}

// get asks for a file as crawlers do, and returns its compressed size.
func get(url string) (status int, size int64, err error) {
	r, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		return 0, 0, err
	}
	r.Header.Set("Accept-Encoding", "gzip")
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, 0, err
	}
	defer resp.Body.Close()
	size, err = io.Copy(io.Discard, resp.Body)
	return resp.StatusCode, size, err
}
