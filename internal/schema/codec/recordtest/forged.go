package recordtest

import "github.com/servemap/servemap/internal/schema/codec"

// Set returns the record with another value of the field with that number; if in is not 0, of the
// field num of the value in field in. A record that has no fields stays.
func Set(b []byte, in, num uint64, value any) []byte {
	var all map[any]any
	if codec.Unmarshal(b, &all) != nil || all == nil {
		return b
	}
	if inner, ok := all[in].(map[any]any); ok {
		inner[num] = value
	} else {
		all[num] = value
	}
	return codec.Marshal(all)
}
