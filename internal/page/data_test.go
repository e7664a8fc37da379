package page

import "testing"

func TestDataHash(t *testing.T) {
	hash := func(script string) uint64 {
		return Read([]byte(`<script type="application/ld+json">`+script+`</script><p>text`), Options{}).DataHash
	}
	base := hash(`{"@type":"Product","name":"A \"thing\"","offers":{"price":24,"inStock":true}}`)
	if base == 0 {
		t.Fatal("structured data have no hash")
	}
	if got := Read([]byte("<p>text"), Options{}).DataHash; got != 0 {
		t.Errorf("a page without structured data has the hash %d", got)
	}
	for _, tt := range []struct {
		name, script string
		same         bool
	}{
		{"white space", "{\n \"@type\" : \"Product\", \"name\": \"A \\\"thing\\\"\",\n \"offers\": {\"price\": 24 , \"inStock\":true } }", true},
		{"another order", `{"offers":{"inStock":true,"price":24},"name":"A \"thing\"","@type":"Product"}`, true},
		{
			"dates",
			`{"@type":"Product","name":"A \"thing\"","offers":{"price":24,"inStock":true,"priceValidUntil":"2027-01-01"},"dateModified":"2026-11-21"}`,
			true,
		},
		{"counts", `{"@type":"Product","name":"A \"thing\"","reviewCount":12,"offers":{"price":24,"inStock":true}}`, true},
		{"a price", `{"@type":"Product","name":"A \"thing\"","offers":{"price":25,"inStock":true}}`, false},
		{"a name", `{"@type":"Product","name":"Another thing","offers":{"price":24,"inStock":true}}`, false},
		{"context, ids and URLs", `{"@context":"https://schema.org","@id":"#a","url":"/thing?v=2","@type":"Product","name":"A \"thing\"","offers":{"price":24,"inStock":true}}`, true},
		{"breadcrumbs", `[{"@type":"BreadcrumbList","itemListElement":[{"position":1,"name":"Home"}]},{"@type":"Product","name":"A \"thing\"","offers":{"price":24,"inStock":true}}]`, true},
		{"an availability", `{"@type":"Product","name":"A \"thing\"","offers":{"price":24,"availability":"SoldOut"}}`, false},
		{"cut off", `{"@type":"Product","name":"A \"th`, false},
	} {
		if got := hash(tt.script) == base; got != tt.same {
			t.Errorf("%s: the same hash %v, want %v", tt.name, got, tt.same)
		}
	}
}

func FuzzHashData(f *testing.F) {
	f.Add([]byte(`{"a":"b\"","c":[1,true,null]}`))
	f.Add([]byte(`"\`))
	f.Add([]byte(`}{"`))
	hash := func(script []byte) uint64 {
		r := &reader{dataLeft: maxData}
		r.data(script)
		return r.facts.DataHash
	}
	f.Fuzz(func(t *testing.T, script []byte) {
		if got := hash(append([]byte("  "), script...)); got != hash(script) {
			t.Error("space before it alters the hash")
		}
	})
}
