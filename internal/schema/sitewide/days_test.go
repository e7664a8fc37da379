package sitewide

import "testing"

func TestDaysAddWhatHappenedAndAreBounded(t *testing.T) {
	d := Days{}
	for day := range int64(500) {
		d.Add(Days{day: {Listed: 10, Dated: 4, Added: 1}})
	}
	d.Add(Days{499: {Changed: 2}})
	d.Add(Days{499: {Listed: 12, Dated: 5, Removed: 1}})
	read := ReadDays(d.Encode(), 498)
	if _, future := read[499]; future || len(read) != daysKept-1 {
		t.Errorf("%d days, want %d without that of a wrong clock", len(read), daysKept-1)
	}
	if got := ReadDays(d.Encode(), 499)[499]; got != (Day{12, 5, 1, 2, 1}) {
		t.Errorf("%+v", got)
	}
	if got := ReadDays([]byte("damaged"), 499); len(got) != 0 {
		t.Errorf("%v of a damaged record", got)
	}
}
