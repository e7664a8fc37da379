//go:build !race

package testkit

// looks says whether sites look at their own pages unless a test says so itself.
const looks = 0
