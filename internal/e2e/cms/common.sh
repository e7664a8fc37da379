# What the scripts of this folder share. Each runs as root on Debian, installs
# what is missing, works in a folder of its own that it removes in the end, listens
# on 127.0.0.1 alone, and ends only the processes that it started.
set -euo pipefail
export LC_ALL=C.UTF-8
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
pids=()

finish() {
	for p in $server "${pids[@]}"; do kill "$p" 2>/dev/null || true; done
	wait || true
	rm -rf "$work"
}
server=
trap finish EXIT
trap 'exit 1' INT TERM

# need installs Debian packages, without starting the servers among them.
need() {
	local missing=() p
	for p in curl wget lighttpd "$@"; do
		dpkg-query -W -f '${db:Status-Status}' "$p" 2>/dev/null | grep -qx installed || missing+=("$p")
	done
	[ ${#missing[@]} -gt 0 ] || return 0
	local policy=
	if [ ! -e /usr/sbin/policy-rc.d ]; then
		policy=/usr/sbin/policy-rc.d
		printf '#!/bin/sh\nexit 101\n' >"$policy"
		chmod +x "$policy"
	fi
	apt-get update -q >&2
	DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends "${missing[@]}" >&2 || { rm -f $policy; exit 1; }
	[ -z "$policy" ] || rm -f "$policy"
}

# serve HOST ROOT starts a web server for the folder ROOT. It reads more of its
# configuration from standard input. $web is then its address, and $origin the
# one that the site has for visitors. The server of an earlier call ends.
serve() {
	if [ -n "$server" ]; then
		kill "$server"
		wait "$server" || true
	fi
	origin=http://$1
	cat >"$work/more.conf"
	local try port
	for try in 1 2 3 4 5; do
		port=$((20000 + RANDOM % 10000))
		cat >"$work/web.conf" <<-END
			server.modules = ("mod_rewrite", "mod_alias", "mod_redirect", "mod_access", "mod_setenv", "mod_fastcgi", "mod_cgi")
			server.bind = "127.0.0.1"
			server.port = $port
			server.document-root = "$2"
			server.errorlog = "$work/web.log"
			server.upload-dirs = ("$work")
			server.follow-symlink = "enable"
			index-file.names = ("index.php", "index.html")
			mimetype.assign = (".css" => "text/css", ".js" => "text/javascript", ".png" => "image/png", ".svg" => "image/svg+xml",
			  ".ico" => "image/x-icon", ".txt" => "text/plain; charset=utf-8", ".html" => "text/html; charset=utf-8", "" => "application/octet-stream")
			fastcgi.server = (".php" => ((
			  "bin-path" => "/usr/bin/php-cgi -d session.save_path='$work' -d opcache.revalidate_freq=0", "socket" => "$work/php.socket", "max-procs" => 1,
			  "bin-environment" => ("PHP_FCGI_CHILDREN" => "2", "PHP_FCGI_MAX_REQUESTS" => "10000"))))
			include "$work/more.conf"
		END
		lighttpd -D -f "$work/web.conf" &
		server=$!
		web=http://127.0.0.1:$port
		for _ in $(seq 50); do
			kill -0 "$server" 2>/dev/null || break
			curl -so "$work/first" "$web/" && return 0
			sleep 0.1
		done
		kill "$server" 2>/dev/null || true
	done
	cat "$work/web.log" >&2
	echo "the web server does not start" >&2
	exit 1
}

# fetch PATH ARGUMENTS... prints what the system answers to a visitor of the site.
fetch() { local path=$1; shift; curl -sS --fail --compressed -H "Host: ${origin#http://}" "$@" "$web$path"; }

# locs prints the addresses in sitemaps.
locs() { grep -oE '<loc>[^<]*</loc>' | sed -E 's#</?loc>##g; s/^[[:space:]]+//; s/&amp;/\&/g'; }

# walk NAME FLAGS... walks the site and compares.
failed=0
walk() {
	local name=$1
	shift
	"$work/cms" -name "$name" -origin "$origin" -upstream "$web" -theirs "$work/theirs" -never "$work/never" "$@" || failed=1
}

# The comparison. texts.php makes what the pages say.
(cd "$here" && go build -o "$work/cms" .)
