package pagerecord

import (
	"reflect"
	"testing"

	"github.com/servemap/servemap/internal/testkit/base"
)

// What a crash may lose is told one by one: everything else is stored at once.
func TestSightChangesFewFields(t *testing.T) {
	moved := map[string]bool{"LastSeen": true, "Status": true, "Observations": true, "BodyHash": true, "ReadAt": true,
		"Foreign": true}
	before := full().Encode()
	v := reflect.ValueOf(Page{})
	for _, f := range reflect.VisibleFields(v.Type()) {
		if f.Anonymous || f.Tag.Get("cbor") == "-" || len(f.Index) > 1 && v.Type().Field(f.Index[0]).Name == "Loaded" {
			continue
		}
		after, err := Decode(before)
		base.Check(t, err)
		field := reflect.ValueOf(after).Elem().FieldByIndex(f.Index)
		field.SetZero()
		if _, ok := SightBetween(before, after.Encode()); ok != moved[f.Name] {
			t.Errorf("a change of %s is only a sight: %t", f.Name, ok)
		}
	}
	after, err := Decode(before)
	base.Check(t, err)
	after.LastSeen, after.Rate = after.LastSeen+60_000, after.Rate.Saw(1700000160, false)
	s, ok := SightBetween(before, after.Encode())
	if again, err := Decode(Sighted(before, s)); !ok || err != nil || !reflect.DeepEqual(again, after) {
		t.Errorf("%+v, %v; want %+v", again, err, after)
	}
	after.Rate = after.Rate.Saw(1700000200, true)
	if _, ok := SightBetween(before, after.Encode()); ok {
		t.Error("a change counts as a sight")
	}
	if _, ok := SightBetween(before, []byte("damaged")); ok {
		t.Error("damage counts as a sight")
	}
}
