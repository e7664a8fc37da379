package sitemap

// The markup of news, in the order of its schema.
const (
	newsOpen      = `<news:news><news:publication><news:name>`
	newsLanguage  = `</news:name><news:language>`
	newsPublished = `</news:language></news:publication><news:publication_date>`
	newsTitle     = `</news:publication_date><news:title>`
	newsClose     = `</news:title></news:news>`
)

func (n *News) append(dst []byte) []byte {
	dst = appendElement(dst, newsOpen, n.Publication, MaxName, newsLanguage)
	dst = append(dst, n.Language...)
	dst = appendTime(dst, newsPublished, n.Published, newsTitle)
	dst = appendText(dst, n.Title, maxTitle)
	return append(dst, newsClose...)
}

func (n *News) valid() bool {
	return hasTime(n.Published) && validNewsLanguage(n.Language) && hasText(n.Publication) && hasText(n.Title)
}

// validNewsLanguage reports whether s is in the form that NewsLanguage returns.
func validNewsLanguage(s string) bool {
	if s == "zh-cn" || s == "zh-tw" {
		return true
	}
	for i := range len(s) {
		if s[i] < 'a' || s[i] > 'z' {
			return false
		}
	}
	return len(s) == 2 || len(s) == 3
}
