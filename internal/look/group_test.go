package look

import "testing"

func TestGroupName(t *testing.T) {
	tests := []struct{ name, route, location, want string }{
		{"no route", "", "/blog/a", "folder /blog/"},
		{"at the root", "", "/a", "folder /"},
		{"the root itself", "", "/", "folder "},
		{"final slash", "", "/blog/a/", "folder /blog/"},
		{"with a query", "", "/blog/a?page=2", "folder /blog/"},
		{"template", "/blog/{slug}", "/blog/a", "route /blog/{slug}"},
		{"template with a final slash", "/blog/{slug}/", "/blog/a/", "route /blog/{slug}/"},
		{"template without variables", "/blog/a", "/blog/a", "folder /blog/"},
		{"subtree", "/blog/", "/blog/a/b", "folder /blog/a/"},
		{"template that swallows the rest", "/{rest...}", "/blog/a", "folder /blog/"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := groupName(tt.route, tt.location); got != tt.want {
				t.Errorf("group %q, want %q", got, tt.want)
			}
		})
	}
}
