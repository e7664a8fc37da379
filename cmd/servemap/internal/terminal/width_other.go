//go:build !unix

package terminal

import "os"

func columns(*os.File) int { return 0 }
