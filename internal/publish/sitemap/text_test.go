package sitemap

import (
	"strings"
	"testing"
)

func TestAppendTextEscapesAndCleansText(t *testing.T) {
	for _, tt := range []struct{ name, s, want string }{
		{"plain", "A title", "A title"},
		{"entities", `<b> & 'c' "d"`, "&lt;b&gt; &amp; &apos;c&apos; &quot;d&quot;"},
		{"end of a section", "]]>", "]]&gt;"},
		{"entity as text", "&amp;", "&amp;amp;"},
		{"white space", " \t\r\na \u00a0\u2028\u0085 b\n", "a b"},
		{"only white space", " \n\t", ""},
		{"not UTF-8", "a\xffb\xc3", "ab"},
		{"surrogate", "a\xed\xa0\x80b", "ab"},
		{"control characters", "a\x00b\x1bc\x7fd\u0080e", "abcde"},
		{"space around what is dropped", "a \x00 b", "a b"},
		{"what XML does not allow", "a\ufffeb\uffffc", "abc"},
		{"replacement character as written", "a\ufffdb", "a\ufffdb"},
		{"outside of the basic plane", "a😀b", "a😀b"},
		{"longest", strings.Repeat("ü", 20), strings.Repeat("ü", 20)},
		{"too long", strings.Repeat("ü", 21), strings.Repeat("ü", 20)},
		{"cut before a space", strings.Repeat("a", 19) + " b", strings.Repeat("a", 19)},
		{"cut after a space", strings.Repeat("a", 18) + " bc", strings.Repeat("a", 18) + " b"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := strings.TrimSuffix(strings.TrimPrefix(string(appendElement(nil, "a", tt.s, 20)), "<a>"), "</a>")
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if hasText(tt.s) != (got != "") {
				t.Errorf("hasText = %v", hasText(tt.s))
			}
		})
	}
}

func TestNewsLanguageGivesTheCodeThatNewsTakes(t *testing.T) {
	for _, tt := range []struct{ tag, want string }{
		{"en", "en"}, {"en-GB", "en"}, {" DE_at ", "de"}, {"fil", "fil"}, {"zh", "zh"}, {"zh-CN", "zh-cn"}, {"zh-Hans", "zh-cn"},
		{"zh_TW", "zh-tw"}, {"zh-Hant-HK", "zh-tw"}, {"zh-SG", "zh-cn"}, {"sr-Latn-RS", "sr"},
		{"", ""}, {"e", ""}, {"english", ""}, {"x-default", ""}, {"e1", ""}, {"en--GB", ""}, {"<en>", ""}, {"en-\xff", ""},
	} {
		got := NewsLanguage(tt.tag)
		if got != tt.want {
			t.Errorf("NewsLanguage(%q) = %q, want %q", tt.tag, got, tt.want)
		}
		if got != "" && NewsLanguage(got) != got {
			t.Errorf("NewsLanguage(%q) = %q, which news cannot have", tt.tag, got)
		}
	}
}

func TestValidLanguageTakesLanguageTags(t *testing.T) {
	for _, tt := range []struct {
		s    string
		want bool
	}{
		{"en", true}, {"en-GB", true}, {"x-default", true}, {"zh-Hant-HK", true}, {"es-419", true}, {"i-klingon", true},
		{"", false}, {"-", false}, {"en-", false}, {"-en", false}, {"en_GB", false}, {"419", false}, {"e9", false}, {"en GB", false},
		{"abcdefghi", false}, {"en-abcdefghi", false}, {`en"`, false}, {"ü", false}, {strings.Repeat("en-", 12) + "gb", false},
	} {
		if got := ValidLanguage(tt.s); got != tt.want {
			t.Errorf("ValidLanguage(%q) = %v", tt.s, got)
		}
	}
}
