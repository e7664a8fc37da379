package action

import "testing"

func TestWordNamesWhatARequestDoes(t *testing.T) {
	for location, want := range map[string]string{
		"/logout": "logout", "/Log-Out": "log-out", "/log_out": "log_out", "/signOut.php": "signout",
		"/x/user-logout": "user-logout",
		"/userlogout":    "userlogout", "/wiki/Special:UserLogout": "userlogout", "/LOGOUT/": "logout", "/%6Cogout": "logout",
		"/Abmelden": "abmelden", "/d%C3%A9connexion": "déconnexion", "/deconnexion": "deconnexion",
		"/%E7%99%BB%E5%87%BA":        "登出",
		"/%C3%A7%C4%B1k%C4%B1%C5%9F": "çıkış", "/cikis": "cikis", "/CIKIS": "cikis",
		"/u/unsubscribe/42": "unsubscribe", "/cart.html": "cart", "/shop/add_to_cart.cgi": "add_to_cart",
		"/delete/5": "delete", "/deletePost/5": "deletepost", "/list/add/12": "add", "/vote/up/99": "vote",
		"/posts/5/delete": "delete",
		"/delete/5.html":  "delete", "/3f2504e0-4f89-41d3-9a0c-0305e82c3301/delete": "delete",
		"/catalog/compare/remove/product/12": "remove",
		"/confirm/a1b2c3d4e5f6":              "confirm", "/a?action=delete": "delete", "/a?delete": "delete",
		"/a?do=logout": "logout",
		"/delete.php":  "delete", "/delete_item/5": "delete_item", "/a?title=b&action=delete": "delete",

		"/": "", "/delete": "", "/delete.html": "", "/sql-delete.html": "", "/15/sql-delete.html": "", "/stop-smoking": "",
		"/archive/2024": "",
		"/update/2024":  "", "/update-2024": "", "/how-to-delete.php": "", "/stop-smoking.php": "",
		"/manual/function.delete.php": "",
		"/sql-disconnect":             "", "/gewerbe-abmelden": "", "/list-unsubscribe": "", "/docs/admin/install": "",
		"/install/windows-11": "", "/how-to-log-out": "", "/carts": "", "/brexit": "", "/undeleted": "", "/list?page=2": "",
		"/archive?page=5": "", "/editors/5": "",
		"/questions/5/how-to-delete-a-file": "", "/logout.png": "",
	} {
		if got, is := Word(location); got != want || is != (want != "") {
			t.Errorf("%s: %q, want %q", location, got, want)
		}
	}
}

func TestAnyVerbInALocationIsFound(t *testing.T) {
	for location, want := range map[string]bool{
		"/cache/clear": true, "/index/rebuild-all": true, "/clearCache": true, "/stop-smoking": true, "/delete.html": true,
		"/a?then=reindex": true, "/user/l%C3%B6schen": true,
		"/": false, "/about": false, "/undeleted": false, "/how-we-work": false,
	} {
		if got := Verb(location); got != want {
			t.Errorf("%s: %v, want %v", location, got, want)
		}
	}
}

func TestMachinesPathsAreRecognised(t *testing.T) {
	for location, want := range map[string]bool{
		"/cgi-bin/x": true, "/backup.sh": true, "/a/vote.pl": true, "/cron.php": true, "/wp-cron.php": true,
		"/cron/9f2c": true, "/cron": true, "/x/xmlrpc.php": true,
		"/docs/cron": false, "/docs/cgi-bin": false, "/cron-explained": false, "/man/cron.8.html": false, "/index.php": false,
		"/docs/webhooks": false, "/deploy/linux": false,
	} {
		if got := Acts(location); got != want {
			t.Errorf("%s: %v, want %v", location, got, want)
		}
	}
}

func TestWhatIsBelowAThing(t *testing.T) {
	for location, want := range map[string]string{
		"/items/5/hide": "items/0 hide", "/a/3f2504e0-4f89-41d3-9a0c-0305e82c3301/b/c": "a/0 b/c",
		"/users/ann/follow": "users/0 follow",
		"/items/5":          "", "/rooms/5/2026-11-22": "", "/2024/05/hello": "", "/docs/de/update": "",
		"/docs/3.11/install": "",
		"/users/ann/posts":   "", "/items/5/how-to-hide-a-thing": "",
	} {
		if b, is := Split(location); is != (want != "") || is && b.Kind+" "+b.Word != want {
			t.Errorf("%s is below %+v, want %q", location, b, want)
		}
	}
}
