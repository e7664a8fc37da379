#!/bin/bash
# DokuWiki from Debian's package, as its installation leaves it and with pretty
# addresses: 100 pages in namespaces, one of which is not for everybody. All were
# written ten days ago but for three, since DokuWiki keeps what is younger than five
# days out of indexes. Takes some 5 minutes.
. "$(dirname "$0")/common.sh"
need php-cli php-cgi php-xml dokuwiki faketime

cp -rL /usr/share/dokuwiki "$work/www"
cp -rL /etc/dokuwiki "$work/conf"
cp -r /var/lib/dokuwiki/data "$work/data"
cat >"$work/www/inc/preload.php" <<END
<?php
if (!defined('DOKU_MAIN_CONF')) define('DOKU_MAIN_CONF', '$work/conf/');
include_once '/usr/share/dokuwiki/inc/preload.php';
END
printf '%s\n' '# acl.auth.php' '# <?php exit()?>' '*	@ALL	1' '*	@user	8' 'private:*	@ALL	0' 'private:*	@user	8' >"$work/conf/acl.auth.php"
printf '%s\n' '# users.auth.php' '# <?php exit()?>' "admin:$(printf admin | md5sum | cut -d' ' -f1):Admin:admin@example.com:admin,user" >"$work/conf/users.auth.php"
serve wiki.example "$work/www" <<-'END'
	url.access-deny = ("~", ".inc", ".dist")
END

# settings MORE sets what local.php has beyond that of the installation, and reads
# the sitemap that follows.
cp "$work/conf/local.php" "$work/stock.php"
settings() {
	{
		cat "$work/stock.php"
		printf '%s\n' "\$conf['savedir'] = '$work/data';" "\$conf['baseurl'] = '$origin';" "\$conf['sitemap'] = 1;" "$1"
	} >"$work/conf/local.php"
	rm -f "$work"/data/cache/sitemap.xml* "$work/theirs"
	fetch '/doku.php?do=sitemap' 2>/dev/null | zcat -f | locs >"$work/theirs" || true
}

# write PAGES... writes them by DokuWiki's own program, which $past may make older.
export HTTP_HOST=wiki.example SERVER_PORT=80 # which the start-up code asks for
past=
write() {
	local p
	for p; do $past php "$work/www/bin/dwpage.php" -u admin commit -m 'First draft' "$p" "${p##*/}" >/dev/null; done
}
settings ''
mkdir "$work/texts" "$work/fresh"
php "$here/dokuwiki.php" "$work/texts"
mv "$work/texts"/fresh:* "$work/fresh"
past='faketime -f -10d'
write "$work/texts"/*
# The clock was the program's, not the disk's.
find "$work/data" -type f -newer "$work/texts" -exec sh -c 'for f; do touch -d "@$(($(stat -c %Y "$f") - 864000))" "$f"; done' - {} +
past=
write "$work/fresh"/*
php "$work/www/bin/indexer.php" -q

# editor prints the cookies of somebody who is logged in.
editor() {
	fetch '/doku.php?id=start&do=login' -c "$work/jar" -o "$work/form"
	fetch '/doku.php?id=start&do=login' -b "$work/jar" -c "$work/jar" -o "$work/form.done" \
		-d u=admin -d p=admin -d r=1 -d "sectok=$(grep -oE 'name="sectok" value="[^"]*"' "$work/form" | head -n 1 | cut -d'"' -f4)"
	grep -q DW "$work/jar" || { echo "nobody can log in" >&2; exit 1; }
	awk '/^#HttpOnly_|^[^#]/ && NF > 6 { printf "%s%s=%s", sep, $6, $7; sep = "; " }' "$work/jar"
}

{
	for q in edit revisions diff backlink recent index media login register resendpwd profile admin export_raw export_xhtml subscribe search; do
		echo "$origin/doku.php?id=start&do=$q"
		echo "$origin/start?do=$q"
	done
	echo "$origin/doku.php?id=start&rev=$(stat -c %Y "$work/data/pages/start.txt")"
	for n in 1 2 3; do echo "$origin/doku.php?id=private:note_$n"; echo "$origin/private:note_$n"; done
	echo "$origin/feed.php"
} >"$work/never"
common=(-cookie "$(editor)" -fine 'the start page, as it names itself=example/$' -private '[?&](do|rev|rev2|sectok|tab_files|image|media|idx|ns|s|at)=|private|/(lib|_export|_detail|_media)/|nothing_about')
settings ''
walk 'DokuWiki, doku.php?id=, default options' "${common[@]}"
walk 'DokuWiki, doku.php?id=, Query: id, IgnoreCacheControl' "${common[@]}" -rule '{"Pattern": "/doku.php", "Query": ["id"], "IgnoreCacheControl": true}'
serve wiki.example "$work/www" <<-'END'
	url.access-deny = ("~", ".inc", ".dist")
	url.rewrite-if-not-file = (
	  "^/lib/" => "$0",
	  "^/_media/([^?]*)(?:\?(.*))?$" => "/lib/exe/fetch.php?media=$1&$2",
	  "^/_detail/([^?]*)(?:\?(.*))?$" => "/lib/exe/detail.php?media=$1&$2",
	  "^/_export/([^/]+)/([^?]*)(?:\?(.*))?$" => "/doku.php?do=export_$1&id=$2&$3",
	  "^/(\?.*)?$" => "/doku.php$1",
	  "^/([^?]+)(?:\?(.*))?$" => "/doku.php?id=$1&$2")
END
settings "\$conf['userewrite'] = 1;"
walk 'DokuWiki, pretty addresses, default options' "${common[@]}"
walk 'DokuWiki, pretty addresses, IgnoreCacheControl' "${common[@]}" -rule '{"Pattern": "/", "IgnoreCacheControl": true}'
exit $failed
