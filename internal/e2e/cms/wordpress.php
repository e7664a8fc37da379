<?php
// Installs and fills the WordPress in the folder of the first argument, by its own
// functions, for the address in the second. Prints the cookie of an editor.
[, $root, $origin] = $argv;
$_SERVER['HTTP_HOST'] = parse_url($origin, PHP_URL_HOST);
$_SERVER['REQUEST_URI'] = '/';
define('WP_INSTALLING', true);
require "$root/wp-load.php";
require "$root/wp-admin/includes/upgrade.php";
require __DIR__ . '/texts.php';

wp_install('A blog', 'admin', 'admin@example.com', true, '', 'admin');
update_option('siteurl', $origin);
update_option('home', $origin);
update_option('posts_per_page', 10);
update_option('page_comments', 1);
update_option('comments_per_page', 5);
update_option('comment_moderation', 0);
update_option('comment_previously_approved', 0);
$author = wp_create_user('jane', 'jane', 'jane@example.com');
(new WP_User($author))->set_role('author');

function add(array $post): int {
	$id = wp_insert_post($post + ['post_status' => 'publish', 'post_author' => 1], true);
	if (is_wp_error($id)) {
		fwrite(STDERR, $id->get_error_message() . "\n");
		exit(1);
	}
	return $id;
}

$categories = [];
foreach (['Travel', 'Cooking', 'Gardens', 'Music'] as $name) {
	$categories[] = wp_insert_term($name, 'category')['term_id'];
}
// Sixty posts, of which one is the post of a new blog. They link to each other now and then.
$last = '';
for ($n = 1; $n < 60; $n++) {
	$id = add([
		'post_title' => title($n), 'post_author' => $n % 6 ? 1 : $author,
		'post_content' => '<!-- wp:paragraph --><p>' . text($n) . '</p><!-- /wp:paragraph -->' .
			($n % 4 || !$last ? '' : "<!-- wp:paragraph --><p>See also <a href=\"$last\">what came before</a>.</p><!-- /wp:paragraph -->"),
		'post_date' => gmdate('Y-m-d H:i:s', strtotime("2022-01-01 +$n days")),
		'post_category' => [$categories[$n % 4]], 'tags_input' => [WORDS[$n % 8], WORDS[8 + $n % 4]],
	]);
	$last = "/?p=$id"; // WordPress redirects it to the pretty link, if there is one
	for ($i = 0; $i < ($n % 10 == 5 ? 23 : 0); $i++) {
		wp_insert_comment(['comment_post_ID' => $id, 'comment_content' => text(1000 * $n + $i, 2), 'comment_author' => "Reader $i",
			'comment_author_email' => "reader$i@example.com", 'comment_approved' => 1,
			'comment_date' => gmdate('Y-m-d H:i:s', strtotime("2022-06-01 +$i hours"))]);
	}
}
// Twenty pages, of which one is the page of a new blog; some are below others, and all
// but that one are in the menu that a classic theme shows.
$parent = 0;
$menu = wp_create_nav_menu('Pages');
for ($n = 1; $n < 20; $n++) {
	$id = add(['post_type' => 'page', 'post_title' => title(100 + $n), 'post_content' => text(100 + $n), 'post_parent' => $n % 5 ? $parent : 0]);
	$parent = $n % 5 ? $parent : $id;
	wp_update_nav_menu_item($menu, 0, ['menu-item-object' => 'page', 'menu-item-object-id' => $id, 'menu-item-type' => 'post_type', 'menu-item-status' => 'publish']);
}
// What nobody but the editors may see.
$never = [];
foreach (['draft', 'pending', 'private', 'future', 'trash'] as $i => $status) {
	for ($n = 0; $n < 3; $n++) {
		$id = add(['post_status' => $status, 'post_title' => title(130 + 3 * $i + $n), 'post_content' => text(130 + 3 * $i + $n), 'post_category' => $categories,
			'post_date' => $status == 'future' ? gmdate('Y-m-d H:i:s', time() + 8640000) : '', 'post_name' => "$status-$n"]);
		$never[] = "/?p=$id";
		$never[] = "/?p=$id&preview=true";
		$never[] = "/$status-$n/";
	}
}
// Three more posts have a password. WordPress lists them, and shows a form to who asks.
for ($n = 0; $n < 3; $n++) {
	add(['post_title' => title(150 + $n), 'post_content' => text(150 + $n), 'post_password' => 'secret', 'post_date' => '2022-05-01 00:00:00']);
}
foreach (['/wp-login.php', '/wp-login.php?action=lostpassword', '/wp-admin/', '/wp-admin/post-new.php', '/?s=amber', '/feed/', '/xmlrpc.php', '/wp-json/', '/no-such-page/'] as $path) {
	$never[] = $path;
}
file_put_contents('never', implode("\n", array_map(fn($p) => $origin . $p, $never)) . "\n");
$ends = time() + 86400;
echo 'wordpress_logged_in_' . md5($origin) . '=' . rawurlencode(wp_generate_auth_cookie(1, $ends, 'logged_in'));
