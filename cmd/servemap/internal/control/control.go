// Package control has the files by which processes of the command find each other, in a folder
// below that of the data. One process serves the site; others ask it by HTTP over a socket.
//
// A folder of another user is not used: it may hold links to files of ours, and a socket that lies.
// So the package looks whose a folder is before it is used, opens files only below a folder that it
// has opened and checked, and follows no link out of it. Root may ask the process of another user.
package control

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
)

// Folder is the folder of these files. Only its owner may enter it.
func Folder(data string) string { return filepath.Join(data, "servemap") }

// Explored is the file that says with which settings the site was explored.
func Explored(data string) string { return filepath.Join(Folder(data), "explored") }

// Settings is the file with the settings of the process that used the data last.
func Settings(data string) string { return filepath.Join(Folder(data), "settings.toml") }

// Socket is where the process that serves the site answers.
func Socket(data string) string { return filepath.Join(Folder(data), "socket") }

// longestSocket is the longest path of a socket that every system accepts.
const longestSocket = 103

// CheckPath refuses a folder whose socket would have too long a path.
func CheckPath(data string) error {
	if name := Socket(data); len(name) > longestSocket {
		return fmt.Errorf("the path of the socket %s has %d bytes, and systems take %d; give a shorter path, such as one "+
			"relative to the working directory",
			name, len(name), longestSocket)
	}
	return nil
}

// A ForeignError is the error of a folder or file that belongs to another user.
type ForeignError struct {
	Path string
	UID  int // the number of the user, -1 if the path is a link
}

func (e ForeignError) Error() string {
	if e.UID < 0 {
		return fmt.Sprintf("%s is a link; what it leads to may belong to another user, so put a folder or file in its place",
			e.Path)
	}
	as := "sudo"
	if e.UID > 0 {
		as = fmt.Sprintf("sudo -u '#%d'", e.UID)
	}
	return fmt.Sprintf("%s belongs to another user; use a folder of your own, or call %s servemap", e.Path, as)
}

// Check refuses a folder of data in which another user can have put files. The folder may also
// belong to root, as a volume does. It need not exist.
func Check(data string) error {
	for _, stat := range []func(string) (fs.FileInfo, error){os.Stat, os.Lstat} { // a link may be another user's too
		if info, err := stat(data); err == nil {
			if uid, ok := ownerOf(info); ok && uid != 0 && uid != os.Geteuid() {
				return ForeignError{data, uid}
			}
		}
	}
	for _, name := range []string{"servemap", "badger", "lock"} { // the last two are the store's
		path := filepath.Join(data, name)
		info, err := os.Lstat(path)
		if err == nil {
			err = ours(path, info)
		}
		if top, _ := os.Stat(data); errors.Is(err, fs.ErrPermission) && top != nil { // root's, and closed to others
			uid, _ := ownerOf(top)
			err = ForeignError{data, uid}
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// ours returns a [ForeignError] unless what Lstat says of a path is this user's, and no link.
func ours(path string, info fs.FileInfo) error {
	uid, ok := ownerOf(info)
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		return ForeignError{path, -1}
	case ok && uid != os.Geteuid():
		return ForeignError{path, uid}
	}
	return nil
}

// within calls fn with a folder of this user. Its path leads out of its parent by no link.
func within(dir string, fn func(*os.Root) error) error {
	parent, err := os.OpenRoot(filepath.Dir(dir))
	if err != nil {
		return err
	}
	defer parent.Close()
	root, err := parent.OpenRoot(filepath.Base(dir))
	if err != nil {
		return err
	}
	defer root.Close()
	info, err := root.Stat(".")
	if err == nil {
		err = ours(dir, info)
	}
	if err != nil {
		return err
	}
	return fn(root)
}

// Make makes the folder private, whatever the umask. It refuses what [Check] refuses.
func Make(data string) error {
	if err := Check(data); err != nil {
		return err
	}
	dir := Folder(data)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return within(dir, func(root *os.Root) error { return root.Chmod(".", 0o700) })
}

// ReadFile reads a file in a folder of this user. No link there leads out of the folder.
func ReadFile(name string) (b []byte, err error) {
	err = within(filepath.Dir(name), func(root *os.Root) (err error) {
		b, err = root.ReadFile(filepath.Base(name))
		return err
	})
	return b, err
}

// WriteFile replaces a file in a folder of this user.
func WriteFile(name string, b []byte) error {
	return within(filepath.Dir(name), func(root *os.Root) error { return Replace(root, filepath.Base(name), b, 0o600) })
}

// Replaceable refuses a name of what is no plain file: a device, a pipe or a link would be lost.
func Replaceable(root *os.Root, name string) error {
	info, err := root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err == nil && !info.Mode().IsRegular():
		return fmt.Errorf("%s is there already, and is no plain file", name)
	}
	return err
}

// Replace replaces a file in one step, so that a crash leaves either the old or the new one. It
// follows no link, since nobody can guess the name of the new file.
func Replace(root *os.Root, name string, b []byte, mode os.FileMode) error {
	temporary := name + "." + rand.Text()
	f, err := root.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if err = errors.Join(err, f.Close()); err == nil {
		err = root.Rename(temporary, name)
	}
	if err != nil {
		_ = root.Remove(temporary)
	}
	return err
}

// Listen listens at the socket. The caller holds the data, so a socket that exists already is
// left from a dead process. Only this user and root are heard.
func Listen(data string) (*Listener, error) {
	name := Socket(data)
	if err := os.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: name, Net: "unix"})
	if err != nil {
		return nil, fmt.Errorf("listening for commands: %w", err)
	}
	return &Listener{l}, nil
}

// ListenAside listens where clients of this user ask if the folder cannot be used.
func ListenAside(data string) (*Listener, error) {
	name, ok := aside(data)
	if !ok {
		return nil, errors.ErrUnsupported
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: name, Net: "unix"})
	if err != nil {
		return nil, err
	}
	return &Listener{l}, nil
}

// Listener accepts connections of this user and of root.
type Listener struct{ *net.UnixListener }

// Accept drops connections of other users.
func (l *Listener) Accept() (net.Conn, error) {
	for {
		conn, err := l.AcceptUnix()
		if err != nil {
			return nil, err
		}
		if uid, ok := peerOf(conn); !ok || uid == 0 || uid == os.Geteuid() {
			return conn, nil
		}
		conn.Close()
	}
}
