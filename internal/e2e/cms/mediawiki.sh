#!/bin/bash
# MediaWiki from Debian's package, as its installation leaves it and with pretty
# addresses: 100 articles, categories, talk pages, redirects. Takes some 20 minutes.
. "$(dirname "$0")/common.sh"
need php-cli php-cgi php-sqlite3 php-mbstring php-xml php-intl mediawiki

cp -r /usr/share/mediawiki "$work/www"
rm -f "$work/www/LocalSettings.php"
mkdir "$work/data" "$work/texts" "$work/map"
serve wiki.example "$work/www" <<-'END'
	url.rewrite-once = ("^/wiki/[^?]*(\?.*)?$" => "/index.php$1")
END

# maintain runs one of the wiki's own scripts.
maintain() {
	local script=$1
	shift
	php "$work/www/maintenance/$script.php" "$@" >"$work/maintenance.log" 2>&1 || { cat "$work/maintenance.log" >&2; exit 1; }
}
maintain install --dbtype sqlite --dbpath "$work/data" --dbname wiki --server "$origin" --scriptpath '' --pass 'a long password' 'A wiki' Admin
cp "$work/www/LocalSettings.php" "$work/stock.php"
php "$here/mediawiki.php" "$work/texts" "$work/deleted"
maintain importTextFiles --overwrite "$work/texts"/*.txt
maintain deleteBatch -u Admin "$work/deleted"
maintain runJobs

# settings MORE sets what LocalSettings.php has beyond that of the installation,
# and makes the sitemap that follows.
settings() {
	{ cat "$work/stock.php"; printf '%s\n' "$1"; } >"$work/www/LocalSettings.php"
	rm -f "$work/map"/*
	maintain generateSitemap --fspath "$work/map" --server "$origin" --compress no
	cat "$work/map"/*NS_*.xml | locs >"$work/theirs"
}

# editor prints the cookies of somebody who is logged in.
editor() {
	local jar=$work/jar token
	rm -f "$jar"
	token=$(fetch "/api.php?action=query&meta=tokens&type=login&format=json" -c "$jar" | grep -oE '"logintoken":"[^"]*"' | cut -d'"' -f4)
	fetch /api.php -b "$jar" -c "$jar" -d action=login -d lgname=Admin --data-urlencode 'lgpassword=a long password' \
		--data-urlencode "lgtoken=$(printf '%b' "$token")" -d format=json | grep -q '"result":"Success"' || { echo "nobody can log in" >&2; exit 1; }
	awk '/^#HttpOnly_|^[^#]/ && NF > 6 { printf "%s%s=%s", sep, $6, $7; sep = "; " }' "$jar"
}

{
	t=Main_Page
	for q in action=edit action=history action=info action=raw printable=yes oldid=1 'diff=2&oldid=1' action=delete veaction=edit; do echo "$origin/index.php?title=$t&$q"; done
	for t in Special:UserLogin Special:RecentChanges Special:AllPages Special:Random Special:Preferences Special:Watchlist Special:WhatLinksHere/Main_Page Special:Search; do
		echo "$origin/index.php?title=$t"
		echo "$origin/wiki/$t"
	done
	while read -r t; do echo "$origin/index.php?title=${t// /_}"; echo "$origin/wiki/${t// /_}"; done <"$work/deleted"
} >"$work/never"
common=(-private 'Special:|[?&](action|oldid|diff|printable|veaction|curid|redlink|search)=|Withdrawn|/(api|load|rest)\.php')
settings '$wgUsePathInfo = false;'
common+=(-cookie "$(editor)")
walk 'MediaWiki, index.php?title=, default options' "${common[@]}"
walk 'MediaWiki, index.php?title=, Query: title, IgnoreCacheControl' "${common[@]}" -rule '{"Pattern": "/index.php", "Query": ["title"], "IgnoreCacheControl": true}'
settings '$wgArticlePath = "/wiki/$1";'
walk 'MediaWiki, /wiki/, default options' "${common[@]}"
walk 'MediaWiki, /wiki/, IgnoreCacheControl' "${common[@]}" -rule '{"Pattern": "/wiki/", "IgnoreCacheControl": true}'
exit $failed
