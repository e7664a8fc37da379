package capability

import "testing"

func TestVariable(t *testing.T) {
	tests := []struct {
		template string
		want     bool
	}{
		{"/x/{token}", true},
		{"/x/{key}", true},
		{"/x/{code}", true},
		{"/x/{hash}", true},
		{"/x/{secret}", true},
		{"/x/{sig}", true},
		{"/x/{signature}", true},
		{"/x/{nonce}", true},
		{"/x/{otp}", true},
		{"/x/{invite}", true},
		{"/x/{share}", true},
		{"/x/{session}", true},
		{"/x/{uuid}", true},
		{"/x/{guid}", true},
		{"/x/{jwt}", true},
		{"/x/{auth}", true},
		{"/x/{ticket}", true},
		{"/x/{apikey}", true},
		{"/x/{apiKey}", true},
		{"/x/{resetToken}", true},
		{"/x/{reset_token}", true},
		{"/x/{reset-token}", true},
		{"/x/{RESET_TOKEN}", true},
		{"/x/{resettoken}", true},
		{"/x/{shareKey}", true},
		{"/x/{inviteID}", true},
		{"/x/{sessionIDs}", true},
		{"/x/{userUUID}", true},
		{"/x/{JWTString}", true},
		{"/x/{token...}", true},
		{"/x/{token:[0-9a-f]{32}}", true},
		{"/u/{id:[0-9]{1,9}}/{token}", true},
		{"GET example.com/u/{id}/reset/{key}/{$}", true},
		{"/x/{token", true},

		{"", false},
		{"/", false},
		{"/token", false},
		{"/{$}", false},
		{"/{}", false},
		{"/u/{id}", false},
		{"/u/{id:[0-9]+}", false},
		{"/u/{id:token|key}", false},
		{"/u/{id:(?:[a-z]{2}){3}}/token", false},
		{"/f/{rest...}", false},
		{"/posts/{slug}", false},
		{"/tags/{keyword}", false},
		{"/g/{guide}", false},
		{"/s/{shape}", false},
		{"/design/{design}", false},
		{"/c/{countryCode}", false},
		{"/c/{country_code}", false},
		{"/c/{lang-code}", false},
		{"/c/{zipCode}", false},
		{"/c/{commitHash}", false},
		{"/c/{author}", false},
		{"/x/}{/{id}", false},
	}
	for _, tt := range tests {
		t.Run(tt.template, func(t *testing.T) {
			if got := Variable(tt.template); got != tt.want {
				t.Errorf("Variable(%q) = %v, want %v", tt.template, got, tt.want)
			}
		})
	}
}
