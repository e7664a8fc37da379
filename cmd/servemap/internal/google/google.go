// Package google has what authorises the command at Search Console.
package google

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/jwt"

	"github.com/servemap/servemap/internal/page/words"
)

// Authorise returns what authorises requests to Search Console by a file. That is the key of a service account, as
// Google's console gives it, or an access token that another program renews.
func Authorise(file string) (http.RoundTripper, error) {
	text, err := os.ReadFile(file)
	if err != nil || !strings.HasPrefix(strings.TrimSpace(string(text)), "{") {
		return token(file), nil // the file may come later
	}
	var key struct {
		Type  string `json:"type"`
		Email string `json:"client_email"`
		Key   string `json:"private_key"`
		ID    string `json:"private_key_id"`
		URL   string `json:"token_uri"`
	}
	if err := json.Unmarshal(text, &key); err != nil || key.Type != "service_account" || key.Email == "" ||
		key.Key == "" || key.URL == "" {
		return nil, errors.New(words.Say("{GoogleToken}: the file is neither an access token nor the JSON key of a service " +
			"account; make one in Google's console, under IAM, Service accounts, Keys"))
	}
	cfg := &jwt.Config{
		Email: key.Email, PrivateKey: []byte(key.Key), PrivateKeyID: key.ID, TokenURL: key.URL,
		Scopes: []string{"https://www.googleapis.com/auth/webmasters"},
	}
	return cfg.Client(context.WithValue(context.Background(), oauth2.HTTPClient,
		&http.Client{Timeout: time.Minute})).Transport, nil
}

// token is the file with an access token.
type token string

// RoundTrip adds the token to a request.
func (file token) RoundTrip(r *http.Request) (*http.Response, error) {
	text, err := os.ReadFile(string(file))
	if err != nil {
		return nil, fmt.Errorf(words.Say("{GoogleToken}: %w"), err)
	}
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(text)))
	return http.DefaultTransport.RoundTrip(r)
}
