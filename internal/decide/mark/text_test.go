package mark

import (
	"testing"
)

func TestAgesAreToldByWholeWords(t *testing.T) {
	for text, want := range map[string]bool{
		"Updated yesterday":        true,
		"Updated yesterday, 14:00": true,
		"3 hours ago":              true,
		"posted just now":          true,
		"12 new in the last hour":  true,
		"vor 3 Tagen":              true,
		"Publié il y a 3 jours":    true,
		"hace 2 horas":             true,
		"há 5 minutos":             true,
		"3 dni temu":               true,
		"2時間前":                     true,
		"Media player 3.2":         false,
		"A prayer for the dying":   false,
		"Un fichier de plus":       false,
		"Trevor Noah":              false,
		"Chicago":                  false,
		"just one":                 false,
		"this weekend":             true,
		"Read what happened 3 hours ago in the city of London": false,
		"": false,
	} {
		if isAge(text) != want {
			t.Errorf("isAge(%q) is %v", text, !want)
		}
	}
}

func TestPriceIsTheSameInAnotherForm(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		same bool
	}{
		{"€ 12.50", "12,50 €", true},
		{"€ 1,250.00", "1.250 €", true},
		{"40,00 €", "40 €", true},
		{"from € 12.50", "from 12,50 €", true},
		{"€ 5.00", "€ 500", false},
		{"€ 12.50", "€ 1,250", false},
		{"3.5 %", "35 %", false},
		{"-10 %", "+10 %", false},
		{"$ 50.00", "€ 50.00", false},
		{"50 %", "€ 50", false},
		{"€ 5-10", "€ 510", false},
	} {
		if same := string(amountOf([]byte(tt.a))) == string(amountOf([]byte(tt.b))); same != tt.same {
			t.Errorf("%s and %s: %t", tt.a, tt.b, same)
		}
	}
}
