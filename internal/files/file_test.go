package files

import (
	"encoding/hex"
	"reflect"
	"testing"

	"github.com/servemap/servemap/internal/lastmod"
	"github.com/servemap/servemap/internal/moment"
)

func TestFileEncoding(t *testing.T) {
	full := &file{
		hash: hash{1, 2, 3}, size: 4_000_000, modified: moment.Seconds(1_700_000_000), pages: 50_000, damaged: 2, until: moment.Seconds(1_800_000_000),
		unread: true, stored: true,
	}
	var g lastmod.Gatherer
	for i := range 203 {
		g.Add(&lastmod.Candidates{Given: lastmod.Given[moment.Time]{lastmod.Server: moment.Seconds(1_690_000_000 + int64(i)/200)}})
	}
	g.Add(&lastmod.Candidates{Given: lastmod.Given[moment.Time]{lastmod.Page: 1000}})
	full.dates = g.Summarise()
	empty := &file{unread: true, stored: true, modified: moment.Seconds(1_700_000_000)}
	for _, tt := range []struct {
		name   string
		file   *file
		golden string // in hexadecimal, without the checksum
	}{
		{"every field", full, "010a10010203000000000000000000000000001080c49fd50c18d086032080" + "92f4012880c8ceb40d300250cb015a08cb0180eadacb0c026001"},
		{"a part that shows nothing", empty, "010a10000000000000000000000000000000001080c49fd50c"},
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
}
