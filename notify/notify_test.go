package notify

import (
	"testing"
	"time"
)

func TestAChangeIsPostedAfterItsHold(t *testing.T) {
	run(t, 5, Options{}, func(r *rig) {
		time.Sleep(10 * time.Minute)
		r.wantPosts()
		r.changes("/1")
		changed := time.Now()
		time.Sleep(4 * time.Minute)
		r.wantPosts()
		time.Sleep(2 * time.Minute)
		posts := r.engine.all()
		r.wantPosts("/1")
		p := posts[0]
		if want := `{"host":"example.com","key":"` + testKey + `","urlList":["https://example.com/1"]}`; p.body != want {
			t.Errorf("the body is %s, want %s", p.body, want)
		}
		if p.kind != "application/json; charset=utf-8" || p.endpoint != DefaultEndpoint {
			t.Errorf("it went to %s as %s", p.endpoint, p.kind)
		}
		if after := p.at.Sub(changed); after < 5*time.Minute || after > 5*time.Minute+31*time.Second {
			t.Errorf("it was sent after %v, want the hold", after)
		}
		time.Sleep(24 * time.Hour)
		r.wantPosts()
	})
}
