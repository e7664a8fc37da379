package crawlers

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
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
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		e := slices.IndexFunc(table[:], func(row engine) bool { return row.name == name })
		if e < 0 {
			return nil, fmt.Errorf("%s has the name of no crawler that is followed; name it after one, such as GPTBot.json", file)
		}
		if ranges[Engine(e)], err = readRanges(file); err != nil {
			return nil, fmt.Errorf("%s is no list of an engine's addresses: %w", file, err)
		}
	}
	return ranges, nil
}

func readRanges(file string) (ranges []netip.Prefix, err error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var list struct {
		Prefixes []struct{ IPv4Prefix, IPv6Prefix netip.Prefix }
	}
	if err := json.Unmarshal(b, &list); err != nil {
		return nil, err
	}
	for _, p := range list.Prefixes {
		for _, p := range []netip.Prefix{p.IPv4Prefix, p.IPv6Prefix} {
			if p.IsValid() {
				ranges = append(ranges, p)
			}
		}
	}
	if len(ranges) == 0 {
		return nil, fmt.Errorf("it has no ipv4Prefix and no ipv6Prefix")
	}
	return ranges, nil
}

// verdict tells whether an address is in the engine's list. It is unknown without a list.
func (r Ranges) verdict(e Engine, addr netip.Addr) verdict {
	list, given := r[e]
	switch {
	case !given:
		return unknown
	case slices.ContainsFunc(list, func(p netip.Prefix) bool { return p.Contains(addr) }):
		return confirmed
	}
	return refuted
}
