// Package control has the files by which processes of the command find each other, in a folder
// below that of the data. One process serves the site; others ask it by HTTP over a socket. The
// package takes the folder of the data. It must never let another user into its own folder.
package control

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
)

// Folder is the folder of these files. Only its owner may enter it.
func Folder(data string) string { return filepath.Join(data, "servemap") }

// Settings is the file with the settings of the process that serves the site.
func Settings(data string) string { return filepath.Join(Folder(data), "settings.json") }

// Exploring is the file with the state of an unfinished exploration.
func Exploring(data string) string { return filepath.Join(Folder(data), "exploring") }

// Socket is where the process that serves the site answers.
func Socket(data string) string { return filepath.Join(Folder(data), "socket") }

// longestSocket is the longest path of a socket that every system accepts.
const longestSocket = 103

// Check refuses a folder whose socket would have too long a path.
func Check(data string) error {
	if name := Socket(data); len(name) > longestSocket {
		return fmt.Errorf("the path of the socket %s has %d bytes, and systems take %d; give a shorter path, such as one relative to the working directory",
			name, len(name), longestSocket)
	}
	return nil
}

// Make makes the folder private, whatever the umask, and whoever made it before.
func Make(data string) error {
	dir := Folder(data)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return os.Chmod(dir, 0o700)
}

// WriteFile replaces a file in one step, so that a crash leaves either the old or the new one.
func WriteFile(name string, b []byte) error {
	if err := os.WriteFile(name+".new", b, 0o600); err != nil {
		return err
	}
	return os.Rename(name+".new", name)
}

// Listen listens at the socket. The caller holds the data, so a socket that exists already is
// left from a dead process.
func Listen(data string) (*net.UnixListener, error) {
	name := Socket(data)
	if err := os.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: name, Net: "unix"})
	if err != nil {
		return nil, fmt.Errorf("listening for commands: %w", err)
	}
	return l, nil
}

// Client returns a client of the process that answers at the socket, whatever host a URL names.
func Client(data string) *http.Client {
	return &http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", Socket(data))
		},
		DisableCompression: true,
	}}
}
