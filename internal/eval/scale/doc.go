// Package scale fills a store on disk with a site of many pages, as visits would, and measures what that site costs.
//
//	go test ./internal/eval/scale -v -timeout 0 -pages 1000000 -dir /var/tmp/million
//	go test ./internal/eval/scale -v -timeout 0 -sites 10000
//
// A folder that is filled already is only measured. Each step runs in its own process, so that one step's memory does
// not count for another. Without -pages and -sites, as among other tests, the steps run on small sites.
package scale
