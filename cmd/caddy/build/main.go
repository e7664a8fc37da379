// Caddy is a Caddy with servemap in it.
package main

import (
	caddycmd "github.com/caddyserver/caddy/v2/cmd"
	_ "github.com/caddyserver/caddy/v2/modules/standard"

	_ "github.com/servemap/servemap/cmd/caddy"
)

func main() { caddycmd.Main() }
