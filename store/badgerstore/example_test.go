package badgerstore_test

import (
	"fmt"
	"os"

	"github.com/servemap/servemap/store/badgerstore"
)

// ExampleOpen opens a folder, and says whether it can be used.
func ExampleOpen() {
	dir, err := os.MkdirTemp("", "") // better one that outlives the process, such as "sitemap-data"
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	st, err := badgerstore.Open(dir, nil)
	if err != nil {
		panic(err)
	}
	fmt.Println(st.Health())
	fmt.Println(st.Close())
	// Output:
	// <nil>
	// <nil>
}
