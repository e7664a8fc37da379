package explore

import "testing"

func TestLinksThatMayActAreNotAskedFor(t *testing.T) {
	for _, tt := range []struct {
		location, href string
		want           bool
	}{
		{"/posts/5/delete", "", true},
		{"/delete.html", "", true},
		{"/a", "/a?delete", true},
		{"/posts.php", "/posts.php?action=delete&id=3", true},
		{"/index.php", "index.php?do=logout", true},
		{"/deletePost/5", "", true},
		{"/delete_item/5", "", true},
		{"/%64elete/5", "", true},
		{"/DELETE/5", "", true},
		{"/user/log-out", "", true},
		{"/user/log_out", "", true},
		{"/signOut", "", true},
		{"/how-to-delete-a-file", "", true}, // a page, but nobody can be sure
		{"/cart/add/5", "", true},
		{"/add-to-cart", "", true},
		{"/posts/5/edit", "", true},
		{"/edit.php", "", true},
		{"/vote-up", "", true},
		{"/posts/5", "/posts/5?vote=up", true},
		{"/newsletter/confirm", "", true},
		{"/list?page=remove", "", true},

		{"/deleteuser/5", "", true},
		{"/userdelete.php", "", true},
		{"/table/users/drop", "", true},
		{"/orders/5/refund", "", true},
		{"/l%C3%B6schen/5", "", true},
		{"/supprimer/5", "", true},

		{"/basket", "", true}, // a word that keeps a page from being listed
		{"/shop/basket.html", "", true},

		{"/", "/", false},
		{"/about", "/about", false},
		{"/blog/2026/a-product-update-for-all", "", false},
		{"/blog/how-we-moved-to-a-new-house", "", false},
		{"/docs/installation", "", false},
		{"/docs/getting-started", "", false},
		{"/list?page=2", "/list?page=2", false},
		{"/list", "/list#delete", false},
		{"/undeleted", "", false},
		{"/editors", "", false},
		{"/orders-of-magnitude", "", false},
	} {
		if got := acting(tt.location, tt.href); got != tt.want {
			t.Errorf("%s as %q: may act is %v", tt.location, tt.href, got)
		}
	}
}
