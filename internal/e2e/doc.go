// Package e2e tests the whole library as its users see it: a site in a program,
// its visitors, and one of the stores. It has no code but tests. Each site is
// started by package testkit.
package e2e
