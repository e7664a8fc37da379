// Engine is a search engine that takes part in IndexNow, for .ci/examples. It fetches
// the key file that a post names, as engines do, and prints what it accepts.
//
//	engine 127.0.0.1:8081
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: engine ADDRESS")
	}
	http.HandleFunc("POST /indexnow", accept)
	log.Fatal(http.ListenAndServe(os.Args[1], nil))
}

func accept(w http.ResponseWriter, r *http.Request) {
	var post struct {
		Host, Key string
		URLList   []string
	}
	if err := json.NewDecoder(r.Body).Decode(&post); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if !owns(post.Host, post.Key) {
		http.Error(w, `{"errorCode":"KeyNotFound"}`, http.StatusForbidden)
		return
	}
	fmt.Printf("%q\n", post.URLList)
}

// owns reports whether a host serves the file of a key.
func owns(host, key string) bool {
	resp, err := http.Get("http://" + host + "/" + key + ".txt")
	if err != nil {
		return false
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, 1<<10))
	return err == nil && resp.StatusCode == http.StatusOK && string(body) == key
}
