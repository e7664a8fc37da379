package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"strings"
	"time"
)

// process is one replica. It is started again whenever it ends.
type process struct {
	number   int
	addr     string // of the balancer
	balancer *balancer

	cmd   *exec.Cmd
	stdin io.Closer     // closing it ends the replica, so that none outlives its parent
	ended chan struct{} // closed when the current process has ended
}

// start starts the replica and returns once it serves.
func (p *process) start() error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.Command(self, "-replica", "-addr", p.addr)
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	ended := make(chan struct{})
	p.cmd, p.stdin, p.ended = cmd, stdin, ended
	lines := bufio.NewReader(stdout)
	at, err := lines.ReadString('\n') // its first line says where it listens
	go func() {
		_, _ = io.Copy(io.Discard, lines)
		_ = cmd.Wait()
		p.balancer.set(p.number, "")
		close(ended)
	}()
	if err != nil {
		return fmt.Errorf("replica %d did not start: %w", p.number, err)
	}
	p.balancer.set(p.number, strings.TrimSpace(at))
	return nil
}

// pause is how long a killed replica stays down.
const pause = 5 * time.Second

// live kills the replica once after the time first, and then after each time each.
// It starts the replica again whenever that has ended. When ctx ends, it tells the
// replica to stop, and waits for its end.
func (p *process) live(ctx context.Context, first, each time.Duration) {
	kill := time.NewTimer(first)
	defer kill.Stop()
	for {
		select {
		case <-kill.C:
			kill.Reset(each)
			_ = p.cmd.Process.Kill() // it may have ended already
			fmt.Printf("%s  replica %d is killed\n", clock(), p.number)
		case <-p.ended:
			select {
			case <-time.After(pause):
			case <-ctx.Done():
				return
			}
			if err := p.start(); err != nil {
				log.Print(err) // it is tried again
				continue
			}
			fmt.Printf("%s  replica %d is back\n", clock(), p.number)
		case <-ctx.Done():
			_ = p.stdin.Close()
			<-p.ended
			return
		}
	}
}

func clock() string { return time.Now().Format(time.TimeOnly) }
