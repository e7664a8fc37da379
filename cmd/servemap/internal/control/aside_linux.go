package control

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
)

// aside returns the name of a socket that needs no folder. Linux keeps such names apart from files, and shares them
// among the processes of a container.
func aside(data string) (name string, ok bool) {
	path, err := filepath.Abs(data)
	sum := sha256.Sum256([]byte(path))
	return fmt.Sprintf("@servemap-%d-%x", os.Geteuid(), sum[:16]), err == nil
}
