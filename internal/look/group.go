package look

import "strings"

// groupName returns the name of the group that has a page and its siblings: the template
// of the route, if it has variables of one segment each, else the folder.
func groupName(route, location string) string {
	path, _, _ := strings.Cut(location, "?")
	path = strings.TrimSuffix(path, "/") // "/news/" is a page of "/"
	if strings.Contains(route, "{") && strings.Count(strings.TrimSuffix(route, "/"), "/") == strings.Count(path, "/") {
		return "route " + route
	}
	return "folder " + path[:strings.LastIndexByte(path, '/')+1]
}
