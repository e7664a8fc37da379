package marks

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// fetch is one line of a history.
type fetch struct {
	Site  string `json:"site"`
	Page  string `json:"page"`
	Unix  int64  `json:"unix"`
	Truth string `json:"truth"`
	HTML  string `json:"html"`
}

// The truths.
const (
	truthFirst   = "first"
	truthChange  = "change"
	truthSame    = "same"
	truthUnclear = "unclear"
)

// read calls each for every line of a history.
func read(r io.Reader, each func(*fetch) error) error {
	lines := json.NewDecoder(r)
	for n := 1; ; n++ {
		var f fetch
		err := lines.Decode(&f)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil && !slices.Contains([]string{truthFirst, truthChange, truthSame, truthUnclear}, f.Truth) {
			err = fmt.Errorf("truth %q is none of first, change, same and unclear", f.Truth)
		}
		if err == nil {
			err = each(&f)
		}
		if err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
	}
}
