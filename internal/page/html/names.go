package html

// maxName is the length of the longest name of an element or attribute that the reader knows.
const maxName = len("data-turbo-method")

// names finds the number of a name. It is an open-addressed hash table because every tag and
// attribute of a page is looked up.
type names [512]struct {
	name   string
	number uint8
}

func nameSlot(name []byte) int {
	n := len(name)
	return (n*37 + int(name[0]|0x20)*5 + int(name[n/2]|0x20)*19 + int(name[n-1]|0x20)*83) % len(names{})
}

// add gives a name in lower case a number other than 0.
func (t *names) add(name string, number uint8) {
	i := nameSlot([]byte(name))
	for t[i].number != 0 {
		i = (i + 1) % len(t)
	}
	t[i].name, t[i].number = name, number
}

// find returns the number of a name in any case, 0 if it is not known.
func (t *names) find(name []byte) uint8 {
	if len(name) == 0 || len(name) > maxName {
		return 0
	}
	for i := nameSlot(name); ; i = (i + 1) % len(t) {
		if e := &t[i]; e.number == 0 || isName(name, e.name) {
			return e.number
		}
	}
}

// isName reports whether name, in any case, equals lower.
func isName(name []byte, lower string) bool {
	if len(name) != len(lower) {
		return false
	}
	for i, c := range name {
		if c != lower[i] && (c < 'A' || 'Z' < c || c+'a'-'A' != lower[i]) {
			return false
		}
	}
	return true
}
