package notify

import (
	"reflect"
	"testing"

	"github.com/servemap/servemap/internal/inspect"
)

// The inspector reads what is stored of the Status by the same names.
func TestInspectorTellsTheStatus(t *testing.T) {
	var same func(path string, told, status reflect.Type)
	same = func(path string, told, status reflect.Type) {
		switch {
		case told == status:
		case told.Kind() == reflect.Slice && status.Kind() == reflect.Slice:
			same(path, told.Elem(), status.Elem())
		case told.Kind() == reflect.Struct && status.Kind() == reflect.Struct:
			for f := range told.Fields() {
				of, is := status.FieldByName(f.Name)
				if !is || of.Tag != f.Tag {
					t.Errorf("%s.%s is no field of the Status by that name", path, f.Name)
					continue
				}
				same(path+"."+f.Name, f.Type, of.Type)
			}
		default:
			t.Errorf("%s is a %s there and a %s in the Status", path, told, status)
		}
	}
	same("Told", reflect.TypeFor[inspect.Told](), reflect.TypeFor[Status]())
}
