// Package e2e tests the whole library as a user sees it: over HTTP.
package e2e
