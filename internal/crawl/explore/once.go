package explore

import (
	"context"

	"github.com/servemap/servemap/internal/page/response"
)

// Once asks cfg.Inside for one location as Run would, and learns nothing from the answer. The caller checks
// that a request may not change anything.
func Once(ctx context.Context, cfg Config, loc string) (*response.Response, error) {
	e := newExplorer(cfg)
	defer e.connect()()
	a := e.request(ctx, loc, loc)
	if a.err != nil {
		return nil, a.err
	}
	return &response.Response{Status: a.status, Header: response.HeaderOf(a.header), Body: a.body, Written: int64(len(a.body)), Complete: true}, nil
}
