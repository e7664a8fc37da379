package files

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// notModified applies RFC 9110, section 13.2.2: an entity tag outranks a date.
func notModified(h http.Header, tag string, modified time.Time) bool {
	if tags, ok := h["If-None-Match"]; ok {
		return matchesTag(tags, tag)
	}
	since, err := http.ParseTime(h.Get("If-Modified-Since"))
	return err == nil && !modified.After(since)
}

// matchesTag compares weakly, as If-None-Match asks.
func matchesTag(lines []string, tag string) bool {
	for _, line := range lines {
		for candidate := range strings.SplitSeq(line, ",") {
			candidate = strings.TrimSpace(candidate)
			if candidate == "*" || strings.TrimPrefix(candidate, "W/") == tag {
				return true
			}
		}
	}
	return false
}

// acceptsGzip reads Accept-Encoding as RFC 9110, section 12.5.3, has it: a
// coding with weight 0 is refused, and "*" stands for those not named.
func acceptsGzip(lines []string) bool {
	accepts := false
	for _, line := range lines {
		for item := range strings.SplitSeq(line, ",") {
			coding, params, _ := strings.Cut(item, ";")
			switch coding = strings.ToLower(strings.TrimSpace(coding)); coding {
			case "gzip", "x-gzip":
				return !refused(params)
			case "*":
				accepts = !refused(params)
			}
		}
	}
	return accepts
}

// refused reports whether the parameters of a coding give it weight 0.
func refused(params string) bool {
	for param := range strings.SplitSeq(params, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(param), "=")
		if strings.EqualFold(strings.TrimSpace(name), "q") {
			q, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
			return err != nil || q <= 0
		}
	}
	return false
}
