package part

import (
	"encoding/hex"
	"reflect"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/record"
)

func TestFileEncoding(t *testing.T) {
	full := &file{
		hash: hash{1, 2, 3}, size: 4_000_000, modified: time.Unix(1_700_000_000, 0), pages: 50_000, damaged: 2, until: 1_800_000_000,
		unsure: true, stored: true,
	}
	full.dates.by[Server] = crowds{dated: 300, top: []crowd{{1_690_000_000, 200}, {1_690_000_001, 3}}}
	full.dates.by[Page] = crowds{dated: 1}
	empty := &file{empty: true, unsure: true, stored: true}
	for _, tt := range []struct {
		name   string
		file   *file
		golden string // in hexadecimal, without the checksum
	}{
		{"every field", full, "010a10010203000000000000000000000000001080c49fd50c18d086032080" + "92f4012880c8ceb40d30023a0fac0280eadacb0cc80182eadacb0c03420101"},
		{"a part that shows nothing", empty, "010a10000000000000000000000000000000004801"},
	} {
		stored := tt.file.encode()
		if got := hex.EncodeToString(stored[:len(stored)-4]); got != tt.golden {
			t.Errorf("%s: encoded as %s, want %s", tt.name, got, tt.golden)
		}
		if got := readFile(stored); !reflect.DeepEqual(got, tt.file) {
			t.Errorf("%s: read as %+v, want %+v", tt.name, got, tt.file)
		}
		stored[3] ^= 1
		if readFile(stored) != nil {
			t.Errorf("%s: it was read although it is damaged", tt.name)
		}
	}
	var first record.Encoder // a record of the first version
	first.Bytes(1, full.hash[:])
	first.Int(2, 1_700_000_000)
	if got := readFile(first.Seal()); got == nil || got.hash != full.hash || !got.modified.Equal(full.modified) || got.pages != 0 || got.empty {
		t.Errorf("a record of the first version is read as %+v", got)
	}
}
