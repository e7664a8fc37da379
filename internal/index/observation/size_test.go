package observation

import (
	"reflect"
	"strings"
	"testing"

	"github.com/servemap/servemap/internal/page/response"
	"github.com/servemap/servemap/internal/testkit/base"
)

// The queue is bounded by these sizes, so no text of an observation or its response may be forgotten.
func TestSizeCountsEveryText(t *testing.T) {
	texts := 0
	var visit func(path string, v reflect.Value, size func() int)
	visit = func(path string, v reflect.Value, size func() int) {
		switch v.Kind() {
		case reflect.String:
			texts++
			before := size()
			v.SetString(strings.Repeat("x", 1000))
			base.Equal(t, size()-before, 1000, "1,000 bytes of %s count as", path)
		case reflect.Pointer:
			visit(path, v.Elem(), size)
		case reflect.Struct:
			if !strings.Contains(v.Type().PkgPath(), "servemap") { // as a time is
				return
			}
			for f, field := range v.Fields() {
				if f.IsExported() && f.Name != "Reading" {
					visit(path+"."+f.Name, field, size)
				}
			}
		case reflect.Slice, reflect.Map, reflect.Interface, reflect.Func, reflect.Chan:
			if path != "Observation.Response.Body" { // which is counted where it is lent
				t.Errorf("%s may hold memory that no size counts", path)
			}
		}
	}
	o := &Observation{Response: new(response.Response)}
	visit("Observation", reflect.ValueOf(o), o.Size)
	if texts < 10 {
		t.Errorf("only %d texts were found", texts)
	}
}
