package admit

import "testing"

func TestAnActionIsOneWithTheExtensionOfAProgram(t *testing.T) {
	for _, tt := range []struct {
		location string
		want     Word
	}{
		{"/logout.php", Action},
		{"/LogOut.aspx", Action},
		{"/log_out.do", Action},
		{"/logout.jsp", Action},
		{"/user/signout.action", Action},
		{"/shop/add_to_cart.cgi", Action},
		{"/delete.php", Action},
		{"/edit.asp", Action},
		{"/remove.cfm", Action},
		{"/unsubscribe.pl", Action},
		{"/cart.html", Action},
		{"/logout.htm", Action},
		{"/logout.php/now", Action},
		{"/manual/delete.html", Plain}, // the page on a statement
		{"/manual/function.delete.php", Plain},
		{"/carts.php", Plain},
		{"/logout.png", Plain}, // no page
		{"/logout.", Plain},
		{"/.php", Plain},
		{"/index.php", Plain},
		{"/how-to-delete.php", Plain},
		{"/reset.php", Risky},
	} {
		t.Run(tt.location, func(t *testing.T) {
			if got := WordOf(tt.location, false); got != tt.want {
				t.Errorf("word %d, want %d", got, tt.want)
			}
		})
	}
}
