package inspect

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/servemap/servemap/internal/admin/messages"
	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/index/reader"
)

// Explained is what is known of the page at a URL.
type Explained struct {
	URL  string
	Page any // a servemap.Explanation

	Setting messages.Change // the setting that would change the verdict
}

// SettingOf returns the settings that change the verdict on a page, to be copied. It is empty if no setting does, or if
// it is set already.
func SettingOf(p *reader.Known) (s messages.Change) {
	if p.Overtaken { // what the owner would set is set by now
		return s
	}
	for _, why := range append([]eligibility.Reason{p.Reason}, p.Besides...) {
		more := messages.Setting(p.Location, why.Standing())
		switch {
		case why == eligibility.NotSeen: // the visit ends that
		case more.Type == "":
			return messages.Change{}
		case s.Type == "":
			s = more
		case !strings.Contains(s.Type, more.Type): // one rule may do for both
			s.Type += "\n" + more.Type
		}
	}
	return s
}

func (i *Inspector) page(ctx context.Context, q url.Values) (view, error) {
	e, err := i.explain(ctx, q.Get("u"))
	return view{Name: "page", Nav: "pages", Title: i.show(e.URL), Query: i.show(e.URL), Data: e.Page,
		Setting: e.Setting, Untried: i.untried(e.URL), Unread: i.unread()}, err
}

// explain describes the page at a URL or location.
func (i *Inspector) explain(ctx context.Context, u string) (Explained, error) {
	if u == "" {
		return Explained{}, refusal{errors.New("name the page behind this address, as in page?u=/about")}
	}
	e, err := i.Public.Explain(ctx, u)
	if _, s := i.Public.Stats(); err != nil && ctx.Err() == nil && !s.NoStore {
		err = refusal{err}
	}
	return e, err
}

// post does what a form of the inspector asks for, if the request comes from one: it forgets a page, undoes that, or
// fetches a page.
func (i *Inspector) post(w http.ResponseWriter, r *http.Request, try bool) {
	if r.Method != http.MethodPost { // as when somebody loads the answer again
		w.Header().Set("Location", "pages") // relative, since a prefix may have been cut off
		w.WriteHeader(http.StatusSeeOther)
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, 8<<10)
	// A proxy may have changed the Host with which Check compares.
	if err := i.forged.Check(r); err != nil && r.PostFormValue("token") != i.token {
		http.Error(w, "only the inspector's own page may ask for that: "+err.Error(), http.StatusForbidden)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), patience)
	defer cancel()
	u := r.PostFormValue("u")
	if try {
		t, err := i.try(ctx, u)
		v := view{Name: "try", Nav: "pages", Title: "Fetched now", Query: i.show(t.URL), Data: t, Setting: t.Setting}
		if err != nil {
			v = failed(refusal{err})
		}
		i.answer(w, r, v, "")
		return
	}
	_, err := i.explain(ctx, u)
	change := i.Public.Forget
	if r.PostFormValue("undo") != "" {
		change = i.Public.UndoForget
	}
	if err == nil {
		err = change(ctx, u)
	}
	if err != nil {
		i.answer(w, r, failed(err), "")
		return
	}
	w.Header().Set("Location", "page?u="+url.QueryEscape(u))
	w.WriteHeader(http.StatusSeeOther)
}
