package crawlers

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
)

// Ranges are the addresses that engines have published.
type Ranges map[Engine][]netip.Prefix

// ReadRanges reads a folder of published lists, such as GPTBot.json: the name of the engine's crawler,
// and a file as the engine publishes it. Other files than .json are left out.
func ReadRanges(dir string) (Ranges, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("the folder %s has no list such as GPTBot.json", dir)
	}
	ranges := Ranges{}
	for _, file := range files {
		e, _ := Claimed(filepath.Base(file))
		if filepath.Base(file) != e.String()+".json" {
			return nil, fmt.Errorf("%s has the name of no crawler that is followed; name it after one, such as GPTBot.json",
				file)
		}
		var list struct {
			Prefixes []struct{ IPv4Prefix, IPv6Prefix netip.Prefix }
		}
		b, err := os.ReadFile(file)
		if err == nil {
			err = json.Unmarshal(b, &list)
		}
		if err != nil {
			return nil, fmt.Errorf("%s is no list of an engine's addresses: %w", file, err)
		}
		var all []netip.Prefix
		for _, p := range list.Prefixes {
			all = append(all, p.IPv4Prefix, p.IPv6Prefix)
		}
		ranges[e] = slices.DeleteFunc(all, func(p netip.Prefix) bool { return !p.IsValid() })
		if len(ranges[e]) == 0 {
			return nil, fmt.Errorf("%s has no ipv4Prefix and no ipv6Prefix", file)
		}
	}
	return ranges, nil
}
