package letters

import "testing"

func TestWalkGivesTheSoundsOfAWord(t *testing.T) {
	const a, b, none = 1, 2, -1
	sound := func(first, second, turn int) int { return (first*Symbols+second)*Turns + turn }
	tests := []struct {
		word   string
		sounds []int // of each character, and of the end
	}{
		{"ab", []int{sound(edge, edge, a), sound(edge, a, b), sound(a, b, edge)}},
		{"Ab", []int{sound(edge, edge, a), sound(edge, a, b), sound(a, b, edge)}},
		{"AB", []int{sound(edge, edge, a), sound(edge, a, b), sound(a, b, edge)}},
		{"aB", []int{sound(edge, edge, a), sound(edge, edge, b), sound(edge, b, edge)}},
		{"ABa", []int{sound(edge, edge, a), sound(edge, a, b), sound(edge, b, a), sound(b, a, edge)}},
		{"7a", []int{none, sound(edge, number, a), sound(edge, a, edge)}},
		{"7ab", []int{none, sound(edge, number, a), sound(edge, a, b), sound(a, b, edge)}},
		{"a7", []int{sound(edge, edge, a), none, none}},
		{"", []int{sound(edge, edge, edge)}},
	}
	for _, tt := range tests {
		t.Run(tt.word, func(t *testing.T) {
			var w Walk
			for i, want := range tt.sounds {
				next := w.End
				if i < len(tt.word) {
					next = func() (int, int) { return w.Next(tt.word[i]) }
				}
				shape, got := next()
				if got != want {
					t.Errorf("sound %d is %d, want %d", i, got, want)
				}
				if shape < 0 || shape >= Shapes || got >= Sounds {
					t.Errorf("shape %d or sound %d is outside the tables", shape, got)
				}
			}
		})
	}
}

func TestShapeTellsWhereADigitStands(t *testing.T) {
	shapes := map[int]string{}
	for _, word := range []string{"aaa", "aa1", "a11", "1a1", "Aa1", "AA1"} {
		var w Walk
		w.Next(word[0])
		w.Next(word[1])
		shape, _ := w.Next(word[2])
		if other, ok := shapes[shape]; ok {
			t.Errorf("%q and %q end alike", word, other)
		}
		shapes[shape] = word
	}
}
