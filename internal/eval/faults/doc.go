// Package faults breaks what a site's store depends on. Its test checks that the site still serves, that nothing is
// lost, and that nothing is listed that must not be. It runs the parts that are asked for; .ci/faults asks for all:
//
//	.ci/faults
//	.ci/faults -part diskfull -trials 100
//	.ci/faults -part kill -kills 200
//
// The test starts itself again as the site, in another process, and then kills and starves that. Each part prints one
// line with its counts. A part that the system does not allow is left out, with the reason; if CI=true, that is a
// failure. Most parts need root on Linux.
package faults
