package main

import (
	"context"
	"encoding/csv"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"net/http"
	"os"
	"path"
	"strconv"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/cmd/servemap/internal/control"
)

func exportCommand(s streams, fs *flag.FlagSet) func(context.Context, string) error {
	a := newAsking(s, fs)
	format := fs.String("format", "xml", "`xml`, json or csv")
	to := fs.String("to", "", "write the sitemap's xml files to the folder `DIR`, as a large sitemap needs; it is not emptied")
	return func(ctx context.Context, _ string) error {
		if a.json {
			*format = "json"
		}
		switch *format {
		case "xml":
			return a.exportXML(ctx, *to)
		case "json":
			a.json = true
			return each(ctx, a, http.MethodGet, "/pages", nil, func(io.Writer, servemap.Page) error { return nil })
		case "csv":
			out := csv.NewWriter(s.out)
			_ = out.Write([]string{"url", "lastmod", "changefreq", "changes", "first_seen", "last_seen"})
			err := each(ctx, a, http.MethodGet, "/pages", nil, func(_ io.Writer, p servemap.Page) error {
				return out.Write([]string{p.URL, stamp(p.LastModified), p.ChangeFreq, strconv.Itoa(p.Changes), stamp(p.FirstSeen), stamp(p.LastSeen)})
			})
			out.Flush()
			return errors.Join(err, out.Error())
		}
		return usage("-format %s: give xml, json or csv", *format)
	}
}

// partsOf returns the names of the files that a sitemap names if it is an index.
func partsOf(text []byte) (names []string) {
	var index struct {
		Parts []struct {
			Loc string `xml:"loc"`
		} `xml:"sitemap"`
	}
	_ = xml.Unmarshal(text, &index) // this program has made it
	for _, p := range index.Parts {
		names = append(names, path.Base(p.Loc))
	}
	return names
}

// exportXML prints the sitemap, or writes it and its files to a folder.
func (a *asking) exportXML(ctx context.Context, dir string) error {
	c, err := a.connect(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	var root *os.Root
	if dir != "" {
		if root, err = os.OpenRoot(dir); err != nil {
			return err
		}
		defer root.Close()
	}
	names := []string{"sitemap.xml"}
	for i := 0; i < len(names); i++ {
		resp, err := c.Do(ctx, http.MethodGet, "/files/"+names[i], nil)
		if err != nil {
			return err
		}
		text, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil {
			return err
		}
		parts := partsOf(text)
		names = append(names, parts...)
		switch {
		case dir != "":
			err = control.Replace(root, names[i], text, 0o644)
		case len(parts) > 0:
			return usage("the sitemap has %d files; give -to and a folder for them", len(parts)+1)
		default:
			_, err = a.out.Write(text)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
