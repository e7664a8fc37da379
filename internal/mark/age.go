package mark

import "strings"

// ageSize is the length of the longest text that is taken for an age.
const ageSize = 48

// isAge reports whether a text says how long ago something was, in one of the
// languages that most pages are in, so that it changes while nothing does:
// "Updated yesterday", "vor 3 Tagen".
func isAge(s string) bool {
	if s == "" || len(s) > ageSize {
		return false
	}
	s = strings.ToLower(s)
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

func notLetter(r rune) bool { return r < 'a' && (r < '0' || r > '9') || r > 'z' && r < 0x80 }

type ageWord uint8

const (
	noAge     ageWord = iota
	ageItself         // it is one alone
	ageUnit           // it is one with a marker
	ageMarker
)

// ageSigns are for languages that put no spaces between words.
var ageSigns = [...]string{"分前", "時間前", "日前", "分钟前", "小时前", "天前", "昨天", "昨日", "분 전", "시간 전", "일 전", "어제"}

// ageWordOf returns what a word in lower case is to an age.
func ageWordOf(word string) ageWord {
	switch word {
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
