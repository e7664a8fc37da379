package kit

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"time"
)

// Child is a process that this program started.
type Child struct {
	Said  []string        // the words of its first line
	Ended <-chan struct{} // closed at its end

	cmd   *exec.Cmd
	stdin io.Closer
	exit  error // once it ended
}

// Start starts this program again with other arguments, and waits for its first line. If the process ends
// before that, it is returned with an error. It is killed when ctx ends.
func Start(ctx context.Context, stderr io.Writer, args ...string) (*Child, error) {
	c := &Child{cmd: exec.CommandContext(ctx, os.Args[0], args...)}
	c.cmd.Stderr = stderr
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if c.stdin, err = c.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if err := c.cmd.Start(); err != nil {
		return nil, err
	}
	ended := make(chan struct{})
	c.Ended = ended
	lines := bufio.NewScanner(out)
	served := lines.Scan()
	c.Said = strings.Fields(lines.Text())
	go func() {
		defer close(ended)
		_, _ = io.Copy(io.Discard, out)
		c.exit = c.cmd.Wait()
	}()
	if !served {
		return c, fmt.Errorf("the process ended before it served: %w", c.Exit())
	}
	return c, nil
}

// AwaitStop waits in a child until its parent calls [Child.Stop] or ends, or an operator
// stops it.
func AwaitStop() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		stop()
	}()
	<-ctx.Done()
}

// Alive reports whether the process has not ended.
func (c *Child) Alive() bool {
	select {
	case <-c.Ended:
		return false
	default:
		return true
	}
}

// Exit waits for the end of the process, and returns an error if its status is
// not 0.
func (c *Child) Exit() error {
	<-c.Ended
	return c.exit
}

// Kill ends the process as kill -9 does.
func (c *Child) Kill() {
	_ = c.cmd.Process.Kill()
	<-c.Ended
}

// Stop tells the process to shut down, and waits for its end.
func (c *Child) Stop() error {
	_ = c.stdin.Close()
	select {
	case <-c.Ended:
		return c.exit
	case <-time.After(40 * time.Second):
		c.Kill()
		return errors.New("the process does not end when it is stopped")
	}
}
