package badgerstore

import (
	"strings"
	"testing"
	"time"
)

func TestHealthTellsOfStalledWrite(t *testing.T) {
	s := open(t, t.TempDir(), nil)
	mustPut(t, s, "k", "1")
	healthy(t, s)
	release, began := make(chan struct{}), make(chan struct{})
	done := make(chan error)
	go func() {
		done <- s.write(current(s), func() error { close(began); <-release; return nil })
	}()
	<-began
	healthy(t, s)
	if s.writeBegan.Load() == 0 {
		t.Error("the write in flight is not noted")
	}
	s.writeBegan.Store(time.Now().Add(-slowWrite - time.Second).UnixNano())
	if err := s.Health(); err == nil || !strings.Contains(err.Error(), "waiting for the disk") {
		t.Errorf("Health during a stalled write: %v", err)
	}
	close(release)
	if err := <-done; err != nil {
		t.Error(err)
	}
	healthy(t, s)
}
