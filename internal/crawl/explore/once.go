package explore

import (
	"context"
	"fmt"

	"github.com/servemap/servemap/internal/page/response"
)

// Once asks cfg.Inside for one location as Run would, and learns nothing from the answer. The caller checks
// that a request may not change anything.
func Once(ctx context.Context, cfg Config, loc string) (*response.Response, error) {
	e := newExplorer(cfg)
	defer e.connect()()
	a := e.request(ctx, loc, loc)
	if a.err == nil && a.page == nil {
		a.err = fmt.Errorf("the answer is longer than %d MiB", mostRead>>20)
	}
	return a.page, a.err
}
