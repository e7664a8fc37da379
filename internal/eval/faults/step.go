package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	_ "unsafe" // for linkname
)

// clockStep is how many seconds the wall clock of this process is ahead, if package time was built to use it.
//
//go:linkname clockStep time.clockStep
var clockStep int64

func stepClock(seconds int64) { atomic.StoreInt64(&clockStep, seconds) }

// How package time reads the clock, and its replacement. The monotonic clock stays as it
// is, as when an operator sets the clock.
const (
	reads = "func Now() Time {\n\tsec, nsec, mono := runtimeNow()\n"
	steps = "//go:linkname clockStep\n\nvar clockStep int64\n\n" + reads + "\tsec += atomic.LoadInt64(&clockStep)\n"
)

// buildStepped builds this program with a clock that can be stepped, in folder, and returns its path.
func buildStepped(ctx context.Context, folder string) (string, error) {
	root, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return "", err
	}
	file := filepath.Join(string(bytes.TrimSpace(root)), "src", "time", "time.go")
	source, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	if bytes.Count(source, []byte(reads)) != 1 {
		return "", errors.New("package time reads the clock in another way than is known here")
	}
	source = bytes.Replace(source, []byte(reads), []byte(steps), 1)
	source = bytes.Replace(source, []byte("import (\n"), []byte("import (\n\t\"sync/atomic\"\n"), 1)
	patched, overlay, program := filepath.Join(folder, "time.go"), filepath.Join(folder, "overlay.json"), filepath.Join(folder, "stepped")
	replace, err := json.Marshal(map[string]map[string]string{"Replace": {file: patched}})
	if err != nil {
		return "", err
	}
	if err := errors.Join(os.WriteFile(patched, source, 0o600), os.WriteFile(overlay, replace, 0o600)); err != nil {
		return "", err
	}
	out, err := exec.CommandContext(ctx, "go", "build", "-overlay", overlay, "-o", program, "github.com/servemap/servemap/internal/eval/faults").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("building with a clock that steps: %w\n%s", err, out)
	}
	return program, nil
}
