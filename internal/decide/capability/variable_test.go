package capability

import (
	"strings"
	"testing"
)

func TestRouteVariablesNamedLikeSecretsAreRecognised(t *testing.T) {
	for want, templates := range map[bool]string{
		true: `/x/{token} /x/{key} /x/{code} /x/{hash} /x/{secret} /x/{sig} /x/{signature} /x/{nonce} /x/{otp} /x/{invite} /x/{share} /x/{session}
			/x/{uuid} /x/{guid} /x/{jwt} /x/{auth} /x/{ticket} /x/{apikey} /x/{apiKey}
			/x/{resetToken} /x/{reset_token} /x/{reset-token} /x/{RESET_TOKEN} /x/{resettoken}
			/x/{shareKey} /x/{inviteID} /x/{sessionIDs} /x/{userUUID}
			/x/{token...} /x/{token:[0-9a-f]{32}} /u/{id:[0-9]{1,9}}/{token} example.com/u/{id}/reset/{key}/{$} /x/{token`,
		false: `/ /token /{$} /{} /u/{id} /u/{id:[0-9]+} /u/{id:token|key} /u/{id:(?:[a-z]{2}){3}}/token /f/{rest...} /posts/{slug} /tags/{keyword}
			/g/{guide} /s/{shape} /design/{design} /c/{countryCode} /c/{country_code} /c/{lang-code} /c/{zipCode} /c/{commitHash} /c/{author} /x/}{/{id}`,
	} {
		for _, template := range append(strings.Fields(templates), "GET "+strings.Fields(templates)[0]) {
			if got := Variable(template); got != want {
				t.Errorf("Variable(%q) = %v, want %v", template, got, want)
			}
		}
	}
	if Variable("") {
		t.Error("nothing has a variable")
	}
}
