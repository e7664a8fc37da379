package badgerstore

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"testing"

	"github.com/servemap/servemap/store"
)

// childEnv makes the test binary do a child's work in a folder instead.
const childEnv = "BADGERSTORE_TEST_CHILD"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childEnv); dir != "" {
		child(dir)
	}
	os.Exit(m.Run())
}

// child writes numbers to the store and tells of each that was stored, until
// it is killed.
func child(dir string) {
	s, err := Open(dir, nil)
	if err != nil {
		fmt.Println(err)
		os.Exit(3)
	}
	for i := 1; ; i++ {
		err := s.Update(context.Background(), []string{"a", "b", fmt.Sprintf("n%06d", i)}, func(values [][]byte) error {
			for j := range values {
				values[j] = []byte(strconv.Itoa(i))
			}
			return nil
		})
		if errors.Is(err, store.ErrUnavailable) {
			fmt.Println(err)
			os.Exit(4)
		}
		fmt.Println(i)
	}
}

func startChild(t *testing.T, dir string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, bufio.NewScanner(out)
}

// TestWritesSurviveKill kills a process in the middle of its writing.
func TestWritesSurviveKill(t *testing.T) {
	dir := t.TempDir()
	last := 0
	cmd, lines := startChild(t, dir)
	for lines.Scan() {
		n, err := strconv.Atoi(lines.Text())
		if err != nil {
			t.Fatalf("the child says %q", lines.Text())
		}
		if last = n; last == 500 {
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := cmd.Wait(); err == nil || last < 500 {
		t.Fatalf("the child ended after %d writes, with %v", last, err)
	}
	s := open(t, dir, nil)
	healthy(t, s)
	a, b := get(t, s, "a"), get(t, s, "b")
	stored, err := strconv.Atoi(a)
	if err != nil || a != b || stored < last {
		t.Errorf("after %d writes were confirmed, the records are %q and %q", last, a, b)
	}
	if n, err := scan(s); n != stored+2 || err != nil {
		t.Errorf("after %d writes Scan yields %d records and %v", stored, n, err)
	}
}
