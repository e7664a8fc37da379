package words

// Settings has what each name says in each style; Keys are named as Flags.
var Settings = func() map[string]map[Style]string {
	all := map[string]map[Style]string{}
	for name, s := range settings {
		all[name] = map[Style]string{Options: s.option, Flags: s.flag, Caddyfile: s.caddy}
	}
	return all
}()
