package mark

import "strings"

// ageSize is the length of the longest text that is taken for an age.
const ageSize = 48

// isAge reports whether a text says how long ago something was, in one of the
// languages of most pages: "Updated yesterday", "vor 3 Tagen". Such a text
// changes by itself.
func isAge(s string) bool {
	if s == "" || len(s) > ageSize {
		return false
	}
	if !isASCII(s) {
		s = strings.ToLower(s)
	}
	unit, marker := false, false
	for word := range strings.FieldsFuncSeq(s, notLetter) {
		switch ageWordOf(word) {
		case ageItself:
			return true
		case ageUnit:
			unit = true
		case ageMarker:
			marker = true
		}
	}
	if unit && marker {
		return true
	}
	if s[0] < 0x80 && s[len(s)-1] < 0x80 {
		return false
	}
	for _, sign := range ageSigns {
		if strings.Contains(s, sign) {
			return true
		}
	}
	return false
}

func notLetter(r rune) bool {
	return r < 0x80 && (r < '0' || r > '9') && (r|0x20 < 'a' || r|0x20 > 'z')
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

type ageWord uint8

const (
	noAge     ageWord = iota
	ageItself         // it is an age alone
	ageUnit           // it is an age with a marker
	ageMarker
)

// ageSigns are for languages that put no spaces between words.
var ageSigns = [...]string{"分前", "時間前", "日前", "分钟前", "小时前", "天前", "昨天", "昨日", "분 전", "시간 전", "일 전", "어제"}

// maxAgeWord is the length of the longest word that matters.
const maxAgeWord = 16

// ageWordOf returns what a word is to an age, whose letters but the ASCII ones
// are in lower case.
func ageWordOf(word string) ageWord {
	if len(word) > maxAgeWord {
		return noAge
	}
	var lower [maxAgeWord]byte
	for i := range len(word) {
		lower[i] = word[i]
		if c := word[i]; 'A' <= c && c <= 'Z' {
			lower[i] += 'a' - 'A'
		}
	}
	switch string(lower[:len(word)]) {
	case "yesterday", "today", "ago", "gestern", "heute", "hier", "aujourd", "ayer", "hoy", "ieri", "oggi", "ontem", "hoje",
		"gisteren", "vandaag", "geleden", "wczoraj", "dzisiaj", "temu", "вчера", "сегодня", "назад":
		return ageItself
	case "this", "last", "past", "just", "vor", "letzte", "letzten", "diese", "il", "hace", "há", "fa", "för":
		return ageMarker
	case "second", "seconds", "minute", "minutes", "hour", "hours", "day", "days", "week", "weeks", "month", "months", "now",
		"sekunden", "minuten", "stunde", "stunden", "tag", "tagen", "tage", "woche", "wochen", "monat", "monaten", "secondes",
		"heure", "heures", "jour", "jours", "semaine", "semaines", "mois", "minuto", "minutos", "hora", "horas", "día", "días",
		"dias", "semana", "semanas", "mes", "meses", "minuti", "ora", "ore", "giorno", "giorni", "settimana", "settimane", "mesi",
		"minuter", "timmar", "dagar":
		return ageUnit
	}
	return noAge
}
