package sqlstore_test

import (
	"database/sql"
	"fmt"

	"github.com/servemap/servemap/store/sqlstore"
)

// ExampleOpen has a process learn together with all others that use this table. Neither
// line waits for the database, so a site also starts while that is away.
func ExampleOpen() {
	db, err := sql.Open("pgx", "postgres://servemap@db.example.com/servemap")
	if err != nil {
		panic(err)
	}
	defer db.Close()
	st, err := sqlstore.Open(db, &sqlstore.Options{Table: "web.servemap"})
	if err != nil {
		panic(err)
	}
	fmt.Println("others may change what is known:", st.Shared())
	// Output:
	// others may change what is known: true
}
