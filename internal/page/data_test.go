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
		{"a literal", `{"@type":"Product","name":"A \"thing\"","offers":{"price":24,"inStock":false}}`, false},
		{"another property", `{"@type":"Product","title":"A \"thing\"","offers":{"price":24,"inStock":true}}`, false},
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
	f.Fuzz(func(t *testing.T, script []byte) {
		if got := hashData(append([]byte("  "), script...)); got != hashData(script) {
			t.Error("space before it alters the hash")
		}
	})
}

func TestLang(t *testing.T) {
	for in, want := range map[string]string{
		`<html lang="en-GB"><p>text`:          "en",
		`<html LANG=DE><p>text`:               "de",
		`<p>text`:                             "",
		`<html lang=""><html lang="fr"><p>te`: "fr",
	} {
		if got := Read([]byte(in), Options{}).Lang; got != want {
			t.Errorf("%s: language %q, want %q", in, got, want)
		}
	}
}

func TestBlocksOfLinks(t *testing.T) {
	in := `<main><p><a href=/a>one</a></p><p><a href=/a>one</a> <a href=/b>two</a><a href=/c><b>three</b> and</a></p>
<p><a href=/a>one</a> and more</p><p><a name=x>no link</a></p><a href=/d><p>a link around</p><p>two blocks</p></a><p>after it</p></main>`
	want := []int{1, 3, 0, 0, 1, 1, 0}
	blocks := Read([]byte(in), Options{}).Blocks
	if len(blocks) != len(want) {
		t.Fatalf("%d blocks, want %d", len(blocks), len(want))
	}
	for i, b := range blocks {
		if b.Links != want[i] {
			t.Errorf("%q consists of %d links, want %d", b.Text, b.Links, want[i])
		}
	}
}

func TestFurnitureAroundAndInMain(t *testing.T) {
	for in, want := range map[string][]string{
		`<form><main><p>text</p></main></form>`:                             {"+text"},
		`<main><header><h1>Title</h1></header><aside>beside</aside></main>`: {"+Title", "+~beside"},
		`<article><header>Title</header>text<footer>by</footer></article>`:  {"+Title", "+text", "+~by"},
	} {
		if got := outline(Read([]byte(in), Options{})); len(got) != len(want) || got[0] != want[0] || got[len(got)-1] != want[len(want)-1] {
			t.Errorf("%s: blocks %q, want %q", in, got, want)
		}
	}
}
