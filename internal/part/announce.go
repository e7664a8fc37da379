package part

import (
	"fmt"
	"strings"

	"github.com/servemap/servemap/internal/record"
)

// announced is the beginning of the keys that find news by their time, so that
// the file of news costs what is in it and not what there is:
//
//	article|TIME|LOCATION  the part of an article; TIME is when it was published,
//	                       in Unix seconds, in hexadecimal
func (k Keys) announced() string { return string(k) + "article|" }

// announcedDigits are enough until 2106, and make no key longer than the longest of
// the journal.
const announcedDigits = 8

func (k Keys) announcedAt(published int64) string {
	return fmt.Sprintf("%s%0*x|", k.announced(), announcedDigits, max(0, min(published, 1<<(4*announcedDigits)-1)))
}

// announce brings the keys of news in line with an extension that takes the place
// of another one.
func (b Book) announce(tx Tx, n int, location string, old, now *Extension) {
	was, is := b.newsKey(location, old), b.newsKey(location, now)
	if was != "" && was != is {
		tx.Put(was, nil)
	}
	if is != "" {
		var enc record.Encoder
		enc.Uint(1, uint64(max(0, n)))
		enc.Keep(record.Others(tx.Get(is), 1))
		tx.Put(is, enc.Seal())
	}
}

// newsKey returns "" for what is no news.
func (b Book) newsKey(location string, x *Extension) string {
	if x == nil || x.News == nil {
		return ""
	}
	return b.Keys.announcedAt(x.News.Published) + location
}

// readAnnounced returns the part that the record of news names, 0 if it is damaged.
func readAnnounced(b []byte) (n int) {
	_ = record.Open(b, func(f record.Field) {
		if f.Num == 1 {
			n = f.Count()
		}
	})
	return n
}

// published reads the time and the location in a key of news.
func (k Keys) published(key string) (at int64, location string, ok bool) {
	digits, location, ok := strings.Cut(strings.TrimPrefix(key, k.announced()), "|")
	at, fixed := hexTime(digits, announcedDigits)
	return at, location, ok && fixed
}
