// Package flood measures what a flood of junk locations costs an observed site, and whether any of it is listed.
//
//	go test ./internal/eval/flood -v -timeout 0 -junk 1000000
//	go test ./internal/eval/flood -v -timeout 0 -http -rate 60 -junk 6000 -bytes 1048576 -patience 45s
//
// The site answers 200 with HTML to any path. A crawler visits its real pages. Then each junk location gets one
// visit, among visits to the real pages. Most of a fast flood gets no observation, since observations of unknown
// targets are rationed. New pages are linked in the middle of the flood.
//
// It fails if junk was listed, a real page was lost or missed, a new one was not listed in time, or a bound was
// exceeded. Without -junk, as among other tests, there are two small floods, whose memory is not judged.
package flood
