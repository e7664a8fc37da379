package tap

import "net/http"

// combine returns t as a writer with exactly these optional interfaces. A method cannot be hidden at
// run time, so there is one Go type for each set.
func combine(t *tap, set has) http.ResponseWriter {
	switch set {
	case hasFlush:
		return struct {
			*tap
			withFlush
		}{t, withFlush{t}}
	case hasHijack:
		return struct {
			*tap
			withHijack
		}{t, withHijack{t}}
	case hasFlush | hasHijack:
		return struct {
			*tap
			withFlush
			withHijack
		}{t, withFlush{t}, withHijack{t}}
	case hasReadFrom:
		return struct {
			*tap
			withReadFrom
		}{t, withReadFrom{t}}
	case hasFlush | hasReadFrom:
		return struct {
			*tap
			withFlush
			withReadFrom
		}{t, withFlush{t}, withReadFrom{t}}
	case hasHijack | hasReadFrom:
		return struct {
			*tap
			withHijack
			withReadFrom
		}{t, withHijack{t}, withReadFrom{t}}
	case hasFlush | hasHijack | hasReadFrom:
		return struct {
			*tap
			withFlush
			withHijack
			withReadFrom
		}{t, withFlush{t}, withHijack{t}, withReadFrom{t}}
	case hasPush:
		return struct {
			*tap
			withPush
		}{t, withPush{t}}
	case hasFlush | hasPush:
		return struct {
			*tap
			withFlush
			withPush
		}{t, withFlush{t}, withPush{t}}
	case hasHijack | hasPush:
		return struct {
			*tap
			withHijack
			withPush
		}{t, withHijack{t}, withPush{t}}
	case hasFlush | hasHijack | hasPush:
		return struct {
			*tap
			withFlush
			withHijack
			withPush
		}{t, withFlush{t}, withHijack{t}, withPush{t}}
	case hasReadFrom | hasPush:
		return struct {
			*tap
			withReadFrom
			withPush
		}{t, withReadFrom{t}, withPush{t}}
	case hasFlush | hasReadFrom | hasPush:
		return struct {
			*tap
			withFlush
			withReadFrom
			withPush
		}{t, withFlush{t}, withReadFrom{t}, withPush{t}}
	case hasHijack | hasReadFrom | hasPush:
		return struct {
			*tap
			withHijack
			withReadFrom
			withPush
		}{t, withHijack{t}, withReadFrom{t}, withPush{t}}
	case hasFlush | hasHijack | hasReadFrom | hasPush:
		return struct {
			*tap
			withFlush
			withHijack
			withReadFrom
			withPush
		}{t, withFlush{t}, withHijack{t}, withReadFrom{t}, withPush{t}}
	}
	return t
}
