package observation

import "strings"

// groupName returns the name of the group of a page and its siblings. It is the route's template if
// each of its variables stands for one segment, else the folder.
func groupName(route, location string) string {
	path, _, _ := strings.Cut(location, "?")
	path = strings.TrimSuffix(path, "/") // "/news/" is a page of "/"
	if strings.Contains(route, "{") && strings.Count(strings.TrimSuffix(route, "/"), "/") == strings.Count(path, "/") {
		return "route " + route
	}
	return "folder " + path[:strings.LastIndexByte(path, '/')+1]
}
