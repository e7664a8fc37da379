package ledger

// aliasesKept bounds the locations whose hashes are remembered. They are dropped
// all at once: what is asked for is asked for several times in a row.
const aliasesKept = 1 << 11

// aliases remembers the hashes of the locations that were asked for lately,
// since merging a look asks for the same few again and again. It belongs to the
// worker. The zero value is empty.
type aliases map[string]alias

// alias is what a location is called where it is not named.
type alias struct {
	wait string // the key under which it waits
	id   uint64
}

// alias returns the alias of location.
func (l *Ledger) alias(location string) alias {
	if a, ok := l.aliases[location]; ok {
		return a
	}
	if len(l.aliases) >= aliasesKept || l.aliases == nil {
		l.aliases = make(aliases, aliasesKept)
	}
	key := l.secret.wait(l.keys, location)
	a := alias{key, idOf(l.keys, key)}
	l.aliases[location] = a
	return a
}

// wait is [secret.wait], remembered.
func (l *Ledger) wait(location string) string { return l.alias(location).wait }

// id is [secret.id], remembered.
func (l *Ledger) id(location string) uint64 { return l.alias(location).id }
