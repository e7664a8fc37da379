//go:build linux || darwin

package badgerstore

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/servemap/servemap/internal/testkit/base"
)

func TestDescriptorsAreTried(t *testing.T) {
	before, err := os.Open(os.DevNull)
	base.Check(t, err)
	defer before.Close()
	base.Check(t, gate{dir: "/data"}.check(spareFiles))
	base.Check(t, tryDescriptors(spareFiles))
	base.Check(t, tryDescriptors(0))
	after, err := os.Open(os.DevNull)
	base.Check(t, err)
	defer after.Close()
	if after.Fd() > before.Fd()+spareFiles/2 {
		t.Errorf("a file has descriptor %d before the check, and another %d after it", before.Fd(), after.Fd())
	}
}

func TestFewDescriptorsAreTold(t *testing.T) {
	last, err := os.Open(os.DevNull)
	base.Check(t, err)
	defer last.Close()
	var limit unix.Rlimit
	base.Check(t, unix.Getrlimit(unix.RLIMIT_NOFILE, &limit))
	few := limit
	few.Cur = uint64(last.Fd()) + 10
	base.Check(t, unix.Setrlimit(unix.RLIMIT_NOFILE, &few))
	defer func() { base.Check(t, unix.Setrlimit(unix.RLIMIT_NOFILE, &limit)) }()
	base.Check(t, needDescriptors(2))
	base.Check(t, tryDescriptors(2))
	if needDescriptors(spareFiles) == nil || tryDescriptors(spareFiles) == nil {
		t.Errorf("%d more files are allowed, where 10 can be opened", spareFiles)
	}
}
