package location

import (
	"strings"
	"testing"
)

func TestPageParameterTakesANumberOrAShortWord(t *testing.T) {
	page := newNormalizer(t, "https://example.com", Config{})
	owner := newNormalizer(t, "https://example.com", Config{Params: []string{"page"}})
	rule := newNormalizer(t, "https://example.com", Config{More: func(string) []string { return []string{"page"} }})
	for _, tt := range []struct {
		value string
		ok    bool
	}{
		{"2", true},
		{"999999", true},
		{"about-us", true},
		{"%E4%BC%9A%E7%A4%BE%E6%A6%82%E8%A6%81", true},
		{strings.Repeat("a", 24), true},

		{strings.Repeat("a", 25), false},
		{"1000000", false},
		{"a12345", false},
		{"a%20b", false},
		{"3f2504e0-4f89-41d3-9a0c-0305e82c3301", false},
	} {
		t.Run(tt.value, func(t *testing.T) {
			got := page.Request("example.com", "/a?page="+tt.value)
			if tt.ok && got.Reason != ReasonNone || !tt.ok && (got.Reason != ReasonQuery || !got.OwnQuery) {
				t.Errorf("by default: %+v", got)
			}
			// Whoever names the parameter knows what it means.
			if got := owner.Request("example.com", "/a?page="+tt.value); got.Reason != ReasonNone {
				t.Errorf("named by the owner: %+v", got)
			}
			if got := rule.Request("example.com", "/a?page="+tt.value); got.Reason != ReasonNone {
				t.Errorf("named by a rule: %+v", got)
			}
		})
	}
}

func TestSessionInASegmentIsRefused(t *testing.T) {
	n := newNormalizer(t, "https://example.com", Config{})
	for _, tt := range []struct {
		path string
		want Reason
	}{
		{"/shop/jsessionid=0A1B2C", ReasonPathParam},
		{"/shop/JSESSIONID=0A1B2C/cart", ReasonPathParam},
		{"/ASPSESSIONIDQADTCRAB=1", ReasonPathParam},

		{"/jsessionid", ReasonNone},
		{"/sessions=2", ReasonNone},
		{"/assessment=1", ReasonNone},
		{"/year=2024/month=11", ReasonNone},
	} {
		t.Run(tt.path, func(t *testing.T) {
			got := n.Request("example.com", tt.path)
			if got.Reason != tt.want {
				t.Errorf("a request: %+v, want %v", got, tt.want)
			}
			if linked := n.Resolve("/", tt.path); linked != got {
				t.Errorf("a link: %+v, want as a request: %+v", linked, got)
			}
		})
	}
}

func TestEmailAddressesAreRefusedInAnyFormOfTheAtSign(t *testing.T) {
	n := newNormalizer(t, "https://example.com", Config{Params: []string{"page"}})
	for _, tt := range []struct {
		name, target string
		want         Reason
	}{
		{"of full width, as a browser may write it", "/u/jane＠example.org", ReasonEmail},
		{"all of full width", "/u/ｊａｎｅ＠ｅｘａｍｐｌｅ．ｏｒｇ", ReasonEmail},
		{"with a Chinese full stop", "/u/jane@example。org", ReasonEmail},
		{"in a parameter", "/u?page=jane%EF%BC%A0example.org", ReasonEmail},
		{"a handle", "/%EF%BC%A0jane", ReasonNone},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := n.Request("example.com", tt.target); got.Reason != tt.want {
				t.Errorf("%+v, want %v", got, tt.want)
			}
		})
	}
}
