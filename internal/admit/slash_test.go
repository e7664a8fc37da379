package admit

import "testing"

// A rule must match a query that it spells with an escaped slash.
func TestEscapedSlashInQuery(t *testing.T) {
	for _, pattern := range []string{"/files?path=%2Fprivate", "/*path=%2fprivate"} {
		for _, listing := range []Listing{Always, Never} {
			rs, err := NewRules([]Rule{{Pattern: pattern, Listing: listing, Priority: 0.5, ChangeFreq: "daily", IgnoreCacheControl: true}})
			if err != nil {
				t.Fatal(err)
			}
			const location = "/files?path=%2Fprivate%2Fx"
			_, ok := rs.Match(location)
			if !ok || rs.Priority(location) != 5 || rs.Freq(location) != "daily" || !rs.IgnoreCacheControl(location) {
				t.Errorf("the rule %q with listing %d does not match %q", pattern, listing, location)
			}
		}
	}
}
