package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/servemap/servemap/cmd/servemap/internal/settings"
	"github.com/servemap/servemap/cmd/servemap/internal/terminal"
)

// readFile reads the sites of a file.
func readFile(name string) ([]*settings.Settings, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("%w; \"servemap config\" prints a file to begin with", err)
		}
		return nil, fmt.Errorf("-config: %w", err)
	}
	sites, err := settings.Read(name, text)
	if err != nil {
		return nil, usage("%v", err)
	}
	return sites, nil
}

// configFlag declares the flag with the file.
func configFlag(fs *flag.FlagSet) *string {
	return fs.String("config", "", "the `FILE` with the settings; \"servemap config\" prints one with all of them")
}

func runCommand(s streams, fs *flag.FlagSet) func(context.Context, string) error {
	file := configFlag(fs)
	return func(ctx context.Context, _ string) error {
		if *file == "" {
			return usage("-config is missing; give the file with the settings, such as -config servemap.toml")
		}
		read := func() ([]*settings.Settings, error) { return readFile(*file) }
		sites, err := read()
		if err != nil {
			return err
		}
		log, err := newLog(s, sites[0].Log, sites[0].Level.Level)
		p := newProcess(s, log)
		if p.file = *file; err != nil {
			return p.placed(0, sites[:1], err)
		}
		return p.run(ctx, sites, read)
	}
}

// aRule shows a rule below the printed defaults, since no rule is set by default.
const aRule = `
# rules for the locations of a pattern, each below such a line; the longest pattern decides
# [[site.rule]]
# pattern = '/sale/'
# list = 'auto' # or always, never
# query = ['colour'] # parameters that make a page of its own there
# ignore-cache-control = false # true: its pages are public although they are sent with private or no-store
# changefreq = 'daily' # in place of what is learned
# priority = 0.8
# section = 'sale' # its pages are listed in sitemap-sale.xml
`

func configCommand(s streams, fs *flag.FlagSet) func(context.Context, string) error {
	file := configFlag(fs)
	return func(context.Context, string) error {
		sites, wrong := []*settings.Settings{{}}, error(nil)
		sites[0].Fill()
		if *file != "" {
			read, err := readFile(*file)
			if err != nil {
				return err
			}
			sites, wrong = read, (&process{file: *file}).check(read)
		}
		text, err := settings.Write(sites)
		if *file == "" {
			text = append(text, aRule...)
		}
		if err == nil {
			_, err = io.WriteString(s.out, terminal.ConcealURLs(string(text)))
		}
		return cmp.Or(err, wrong) // also what is to be filled out, or stands on another machine, is printed
	}
}
