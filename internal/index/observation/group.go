package observation

import "strings"

// groupOf returns the name of the group of a page and its siblings. It is the route's template if
// each of its variables stands for one segment, else the folder. own is the part of the location
// that tells it from its siblings: the segments for variables, or the last one, and the query.
func groupOf(route, location string) (name, own string) {
	path, query, _ := strings.Cut(location, "?")
	path = strings.TrimSuffix(path, "/") // "/news/" is a page of "/"
	if strings.Contains(route, "{") && strings.Count(strings.TrimSuffix(route, "/"), "/") == strings.Count(path, "/") {
		template := strings.Split(route, "/")
		for i, segment := range strings.Split(path, "/") {
			if i < len(template) && strings.Contains(template[i], "{") {
				own += "/" + segment
			}
		}
		return "route " + route, own + "?" + query
	}
	end := strings.LastIndexByte(path, '/') + 1
	return "folder " + path[:end], path[end:] + "?" + query
}
