package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"

	"github.com/pelletier/go-toml/v2"

	"github.com/servemap/servemap/cmd/servemap/internal/settings"
)

// config is what a file says. Its own settings are those of each site that does not say otherwise.
type config struct {
	settings.Settings
	Sites []*settings.Settings `toml:"site"`
}

// readConfig reads the sites of a file. An error names its line.
func readConfig(name string) ([]*settings.Settings, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("-config: %w", err)
	}
	var c config
	err = toml.NewDecoder(bytes.NewReader(text)).DisallowUnknownFields().Decode(&c)
	var unknown *toml.StrictMissingError
	var bad *toml.DecodeError
	switch {
	case errors.As(err, &unknown):
		line, _ := unknown.Errors[0].Position()
		key := unknown.Errors[0].Key()
		return nil, usage("%s:%d: there is no setting %q%s", name, line, key[len(key)-1], meant(key[len(key)-1], settingNames()))
	case errors.As(err, &bad):
		line, _ := bad.Position()
		return nil, usage("%s:%d: %v", name, line, bad)
	case err != nil:
		return nil, usage("%s: %v", name, err)
	}
	if len(c.Sites) == 0 {
		c.Sites = []*settings.Settings{{}}
	}
	for _, s := range c.Sites {
		above := map[string]reflect.Value{}
		c.Each(func(_ string, f reflect.StructField, v reflect.Value) { above[f.Name] = v })
		s.Each(func(_ string, f reflect.StructField, v reflect.Value) {
			if v.IsZero() {
				v.Set(above[f.Name])
			}
		})
		s.Fill()
		if s.Folder != "" {
			s.Folder, err = filepath.Abs(s.Folder)
		}
	}
	return c.Sites, err
}

func settingNames() (names []string) {
	new(settings.Settings).Each(func(_ string, f reflect.StructField, _ reflect.Value) { names = append(names, f.Tag.Get("toml")) })
	return names
}

// configFlag declares the flag with the file.
func configFlag(fs *flag.FlagSet) *string {
	return fs.String("config", "", "the `FILE` with the settings; \"servemap config\" prints one with all of them")
}

func runCommand(s streams, fs *flag.FlagSet) func(context.Context, string) error {
	file := configFlag(fs)
	var form settings.Settings
	form.Flags(fs, func(_, name string) bool { return name == "log" })
	return func(ctx context.Context, _ string) error {
		if *file == "" {
			return usage("-config is missing; give the file with the settings, such as -config servemap.toml")
		}
		read := func() ([]*settings.Settings, error) { return readConfig(*file) }
		sites, err := read()
		if err != nil {
			return err
		}
		log, err := newLog(s, cmp.Or(form.Log, sites[0].Log))
		if err != nil {
			return err
		}
		return (&process{log: log}).run(ctx, sites, read)
	}
}

func configCommand(s streams, fs *flag.FlagSet) func(context.Context, string) error {
	file := configFlag(fs)
	return func(context.Context, string) error {
		sites := []*settings.Settings{{}}
		sites[0].Fill()
		if *file != "" {
			read, err := readConfig(*file)
			if err != nil {
				return err
			}
			sites = read
		}
		for _, s := range sites {
			s.Hide()
		}
		text, err := toml.Marshal(struct {
			Sites []*settings.Settings `toml:"site"`
		}{sites})
		if err == nil {
			_, err = s.out.Write(text)
		}
		return err
	}
}
