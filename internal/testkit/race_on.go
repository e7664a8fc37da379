//go:build race

package testkit

// looks says whether sites look at their own pages unless a test says so itself. Tests in virtual time change what
// their handlers answer while nothing runs. The race detector does not know that, and would take a look in an hour that
// passes meanwhile for one at the same time. The tests of the command race looks with real clocks.
const looks = -1
