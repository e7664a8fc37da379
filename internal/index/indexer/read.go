package indexer

import (
	"time"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/index/merge"
	"github.com/servemap/servemap/internal/index/observation"
	"github.com/servemap/servemap/internal/schema/pagerecord"
)

// observe returns the visit of an exchange, and reads the page if it may show anything new. before
// is the record of the page. all says that no budget applies.
func (m *merging) observe(e *observation.Exchange, before *pagerecord.Page, all bool) *merge.Visit {
	v, unread := m.site.Observe(e, before)
	if unread {
		m.readPage(v, all)
	}
	return v
}

// readPage reads the page of a witness: in full if the budget allows it.
func (m *merging) readPage(v *merge.Visit, all bool) {
	full := all || v.Explored || m.budget.Allows(time.Now(), m.site.Trusted(v), v.Payer)
	m.read(v, func() { m.site.Read(v, full) })
	m.boilerplate.changed = m.boilerplate.changed || v.View != nil
	if !v.Explored {
		m.budget.Pay(int64(v.Cost+time.Duration(len(m.site.Fresh(v)))*observation.LinkCost), v.Payer)
	}
}

// read parses the page by parse. If a stranger's bytes make that panic, the page is held, and the
// site goes on.
func (m *merging) read(v *merge.Visit, parse func()) {
	defer func() {
		if p := recover(); p != nil {
			v.Full, v.View, v.Forbids = false, nil, eligibility.Encoding
			m.cfg.Logger.Error("servemap: a page could not be parsed; please report this", "panic", p)
		}
	}()
	parse()
}
