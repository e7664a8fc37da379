package look

import "strings"

// groupName returns the name of the group whose members are siblings: the
// route's template, if it has variables and is about one page at a time, else
// the folder. A template that swallows several segments, or none, groups
// nothing.
func groupName(route, location string) string {
	path, _, _ := strings.Cut(location, "?")
	path = strings.TrimSuffix(path, "/") // "/news/" is a page of "/"
	if strings.Contains(route, "{") && strings.Count(strings.TrimSuffix(route, "/"), "/") == strings.Count(path, "/") {
		return "route " + route
	}
	return "folder " + path[:strings.LastIndexByte(path, '/')+1]
}
