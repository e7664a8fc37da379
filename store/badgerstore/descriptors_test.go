package badgerstore

import (
	"os"
	"strings"
	"testing"
)

func TestJudgeDescriptors(t *testing.T) {
	for _, c := range []struct {
		name              string
		left, limit, more int
		want              string // in the error; "" if there is none
	}{
		{"a usual limit", 128, 1024, 0, ""},
		{"a usual limit, nearly used up", 127, 1024, 0, "127 more files, 128 are needed; raise its limit of 1024"},
		{"a low limit", 64, 100, 0, ""},
		{"a low limit, nearly used up", 63, 100, 0, "64 are needed"},
		{"a high limit", 512, 1 << 20, 0, ""},
		{"a high limit, nearly used up", 511, 1 << 20, 0, "512 are needed"},
		{"files to be opened", 128, 1024, 20, "148 are needed"},
		{"files to be opened, and room for them", 148, 1024, 20, ""},
		{"none", 0, 1024, 0, "0 more files"},
	} {
		err := judgeDescriptors(c.left, c.limit, c.more)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

func TestDescriptorsAreCounted(t *testing.T) {
	before, most, ok := descriptorsLeft()
	if !ok {
		t.Skip("this system does not tell how many files are open")
	}
	const more = 20
	for range more {
		f, err := os.Open(os.DevNull)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
	}
	after, _, _ := descriptorsLeft()
	if taken := before - after; taken < more/2 || taken > 2*more || before > most {
		t.Errorf("%d files were opened, and of %d descriptors %d were left before and %d after", more, most, before, after)
	}
}

// TestWantOfDescriptors has more files needed than there can be.
func TestWantOfDescriptors(t *testing.T) {
	if _, _, ok := descriptorsLeft(); !ok {
		t.Skip("this system does not tell how many files are open")
	}
	log := newLog()
	s := open(t, t.TempDir(), &Options{Logger: log.logger()})
	mustPut(t, s, "k", "1")
	s.db.gate.descriptors = 1 << 30
	if err := put(s, "k", "2"); kindOf(err) != starved {
		t.Errorf("Update without descriptors: %v", err)
	}
	if got := get(t, s, "k"); got != "1" {
		t.Errorf("without descriptors View reads %q, want 1", got)
	}
	s.db.gate.descriptors = 0
	mustPut(t, s, "k", "3")
	if n := log.count("cannot be used"); n != 1 {
		t.Errorf("the want of descriptors was logged %d times, want once:\n%s", n, log)
	}
}
