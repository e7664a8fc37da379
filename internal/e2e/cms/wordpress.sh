#!/bin/bash
# WordPress from Debian's package, with pretty links and without: 60 posts, 20
# pages, comments in pages, drafts and private posts. Takes some 10 minutes.
. "$(dirname "$0")/common.sh"
need mariadb-server-core mariadb-client-core php-cli php-cgi php-mysql wordpress \
	wordpress-theme-twentytwentythree wordpress-theme-twentytwentyone

# A database of its own, that listens on a socket in the folder alone.
mariadb-install-db --no-defaults --user=root --datadir="$work/db" --auth-root-authentication-method=normal >"$work/db.log" 2>&1
mariadbd --no-defaults --user=root --datadir="$work/db" --socket="$work/db.socket" --pid-file="$work/db.pid" --skip-networking \
	--innodb-buffer-pool-size=32M >>"$work/db.log" 2>&1 &
pids+=($!)
for _ in $(seq 100); do
	mariadb --no-defaults -u root -S "$work/db.socket" -e 'CREATE DATABASE wordpress CHARACTER SET utf8mb4' 2>/dev/null && break
	sleep 0.2
done

cp -rL /usr/share/wordpress "$work/www"
cat >"$work/www/wp-config.php" <<END
<?php
define('DB_NAME', 'wordpress');
define('DB_USER', 'root');
define('DB_PASSWORD', '');
define('DB_HOST', 'localhost:$work/db.socket');
define('DB_CHARSET', 'utf8mb4');
foreach (['AUTH', 'SECURE_AUTH', 'LOGGED_IN', 'NONCE'] as \$k) {
	define(\$k . '_KEY', \$k);
	define(\$k . '_SALT', 'salt of ' . \$k);
}
define('DISABLE_WP_CRON', true);
define('WP_HTTP_BLOCK_EXTERNAL', true);
define('AUTOMATIC_UPDATER_DISABLED', true);
\$table_prefix = 'wp_';
require_once __DIR__ . '/wp-settings.php';
END
serve wordpress.example "$work/www" <<-END
	url.rewrite-if-not-file = ("^/wp-(admin|includes|content)/" => "\$0", "^/[^?]*(\?.*)?\$" => "/index.php\$1")
END
(cd "$work" && php -d sendmail_path=/bin/true "$here/wordpress.php" "$work/www" "$origin") >"$work/cookie"

# php_in runs PHP code in the blog.
php_in() {
	local code=$1
	shift
	php -r '$_SERVER["HTTP_HOST"] = "wordpress.example"; require $argv[1]; '"$code" -- "$work/www/wp-load.php" "$@"
}

# links PATTERN sets what links look like, and reads the sitemap that follows.
links() {
	php_in 'update_option("permalink_structure", $argv[2]);' "$1"
	php_in 'flush_rewrite_rules(false);' # in another process, where the taxonomies know the new pattern
	local index=/wp-sitemap.xml part
	[ -n "$1" ] || index='/?sitemap=index'
	for part in $(fetch "$index" | locs); do fetch "${part#"$origin"}" | locs; done >"$work/theirs"
}

common=(-cookie "$(cat "$work/cookie")"
	-private 'preview|wp-login|wp-admin|wp-json|xmlrpc|/feed/|[?&]s=|replytocom|/(draft|pending|private|future|trash)'
	-fine 'a further page of a list=/page/[0-9]+/$|[?&]paged=[0-9]+' -fine 'further comments of a post=/comment-page-[0-9]+/$|[?&]cpage=[0-9]+'
	-fine 'the posts of a day, month or year=/20[0-9]{2}/([0-9]{2}/){0,2}$|[?&]m=[0-9]+')
links '/%year%/%monthnum%/%postname%/'
walk 'WordPress, pretty links, default options' "${common[@]}"
php_in 'switch_theme("twentytwentyone"); set_theme_mod("nav_menu_locations", ["primary" => wp_get_nav_menu_object("Pages")->term_id]);'
walk 'WordPress with a classic theme, pretty links, default options' "${common[@]}"
links ''
walk 'WordPress with a classic theme, plain links, default options' "${common[@]}"
walk 'WordPress with a classic theme, plain links, Query: cat, tag' "${common[@]}" -query cat,tag
walk 'WordPress with a classic theme, plain links, Query: p, page_id, cat, tag, author, paged' "${common[@]}" -query p,page_id,cat,tag,author,paged
exit $failed
