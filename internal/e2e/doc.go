// Package e2e tests the whole library as its users see it: a site in a program, its visitors, and
// one of the stores. It has only tests. Package testkit starts each site.
package e2e
