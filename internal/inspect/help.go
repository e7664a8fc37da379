package inspect

import (
	"context"
	"net/url"

	"github.com/servemap/servemap/internal/admin/messages"
)

// Help is every reason with its sentences.
type Help struct {
	Reasons []Group `json:"reasons"`
}

func (i *Inspector) help(context.Context, url.Values) (view, error) {
	var h Help
	for _, r := range messages.Reasons() {
		h.Reasons = append(h.Reasons, Group{Verdict: r.Verdict.String(), Reason: r.Reason.String(), Means: r.Means(), Care: r.Care})
	}
	return view{Name: "help", Nav: "help", Title: "Help", Data: h}, nil
}
