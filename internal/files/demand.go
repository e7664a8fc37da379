package files

import (
	"context"
	"time"
)

// demandPatience is how long a request waits for a file that is not at hand.
const demandPatience = 10 * time.Second

// fetch returns the file of part n as it is served now, nil if there is none,
// and with bytes its bytes, compressed. If they are not at hand, or it is not
// known what the file is now, it is rendered, once however many ask for it.
func (f *Files) fetch(ctx context.Context, n int, bytes bool) (*file, []byte, error) {
	ctx, cancel := context.WithTimeout(ctx, demandPatience)
	defer cancel()
	for {
		p := f.current().parts[n]
		if p == nil {
			return nil, nil, nil
		}
		if !p.unsure {
			if !bytes {
				return p, nil, nil
			}
			if gz := f.cache.get(p.hash); gz != nil {
				return p, gz, nil
			}
		}
		if err := f.demand(ctx, n); err != nil {
			return nil, nil, err
		}
	}
}

// demand renders part n, or waits until somebody else has tried to.
func (f *Files) demand(ctx context.Context, n int) error {
	f.asking.Lock()
	done, others := f.asked[n]
	if !others {
		done = make(chan struct{})
		f.asked[n] = done
	}
	f.asking.Unlock()
	if others {
		select {
		case <-done:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	defer func() {
		f.asking.Lock()
		delete(f.asked, n)
		f.asking.Unlock()
		close(done)
	}()
	return f.renderNow(ctx, n)
}

// renderNow renders part n and serves it. If its dates change the trust in those
// of the other parts, they are rendered next.
func (f *Files) renderNow(ctx context.Context, n int) error {
	if err := take(ctx, f.turn); err != nil {
		return err
	}
	defer func() { <-f.turn }()
	old := f.current().parts[n]
	if old == nil || !old.unsure && f.cache.get(old.hash) != nil {
		return nil // it was rendered while this waited
	}
	trust := f.Trust()
	p, gz, err := f.renderPart(ctx, n, trust)
	if err != nil {
		return err
	}
	if judged := f.judge(map[int]*file{n: p}); judged != trust {
		trust = judged
		if p, gz, err = f.renderPart(ctx, n, trust); err != nil {
			return err
		}
		f.ChangedAll()
	}
	if p != nil {
		f.cache.put(p.hash, gz)
	}
	if p == nil || p.hash != old.hash {
		f.overtaken[n] = true
	}
	f.publish(map[int]*file{n: p}, trust)
	return nil
}
