package google

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/servemap/servemap/internal/testkit/base"
)

// The key of a service account is used as RFC 7523 says, and its token as long as it lasts.
func TestKeyOfAServiceAccountAuthorises(t *testing.T) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	base.Check(t, err)
	given := 0
	engine := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/token" {
			fmt.Fprint(w, r.Header.Get("Authorization"))
			return
		}
		parts := strings.Split(r.PostFormValue("assertion"), ".")
		sum := sha256.Sum256([]byte(strings.Join(parts[:2], ".")))
		signature, _ := base64.RawURLEncoding.DecodeString(parts[2])
		claims, _ := base64.RawURLEncoding.DecodeString(parts[1])
		if err := rsa.VerifyPKCS1v15(&key.PublicKey, crypto.SHA256, sum[:], signature); err != nil ||
			!strings.Contains(string(claims), `"iss":"robot@example.com"`) || !strings.Contains(string(claims),
			"auth/webmasters") {
			t.Errorf("%v: %s", err, claims)
		}
		given++
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"access_token": "token-%d", "token_type": "Bearer", "expires_in": 3600}`, given)
	}))
	defer engine.Close()
	pkcs8, err := x509.MarshalPKCS8PrivateKey(key)
	base.Check(t, err)
	text, err := json.Marshal(map[string]string{
		"type": "service_account", "client_email": "robot@example.com", "token_uri": engine.URL + "/token",
		"private_key": string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: pkcs8})),
	})
	base.Check(t, err)
	file := filepath.Join(t.TempDir(), "google")
	for _, tt := range []struct{ name, text, want string }{
		{"a key", string(text), "Bearer token-1"},
		{"a token", "ya29.x\n", "Bearer ya29.x"},
		{"the key of something else", `{"type": "authorized_user"}`,
			"Google in the options of package notify: the file is neither"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			base.Check(t, os.WriteFile(file, []byte(tt.text), 0o600))
			authorises, err := Authorise(file)
			for range 2 {
				got := fmt.Sprint(err)
				if err == nil {
					resp, err := (&http.Client{Transport: authorises}).Get(engine.URL)
					base.Check(t, err)
					text, err := io.ReadAll(resp.Body)
					base.Check(t, err)
					resp.Body.Close()
					got = string(text)
				}
				if !strings.HasPrefix(got, tt.want) {
					t.Errorf("%q, want %q", got, tt.want)
				}
			}
		})
	}
}
