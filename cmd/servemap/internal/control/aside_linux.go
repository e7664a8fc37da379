package control

import (
	"crypto/sha256"
	"fmt"
	"path/filepath"
)

// aside returns the name of a socket that needs no folder. Linux keeps such names apart from files, and shares them
// among the processes of a container and all users.
func aside(data string) (name string, ok bool) {
	path, err := filepath.Abs(data)
	if target, failed := filepath.EvalSymlinks(path); failed == nil {
		path = target
	}
	sum := sha256.Sum256([]byte(path))
	return fmt.Sprintf("@servemap-%x", sum[:16]), err == nil
}
