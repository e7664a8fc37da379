// Picture makes the moving picture of the README. It runs the quickstart, reads its sitemap each second while readers
// visit, and draws what was served as an animated SVG.
//
//	go run ./.ci/picture -out docs/quickstart.svg
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"html/template"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

func main() {
	out := flag.String("out", "docs/quickstart.svg", "file to write")
	most := flag.Duration("for", 4*time.Minute, "how long to watch at most")
	flag.Parse()
	if err := record(*out, *most); err != nil {
		log.Fatal(err)
	}
}

// shown is how many frames the picture has at most, and rest how long each stays.
const (
	shown = 7
	rest  = 2.4 // seconds
)

// frame is the sitemap at a moment.
type frame struct {
	After time.Duration
	Lines []line
	Dated int
}

// line is one page of the sitemap.
type line struct {
	Path, Date, Freq string
	New, Changed     bool // since the frame before
}

func record(out string, most time.Duration) error {
	folder, err := os.MkdirTemp("", "servemap-picture-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	program := filepath.Join(folder, "quickstart")
	if text, err := exec.Command("go", "build", "-o", program, "./examples/quickstart").CombinedOutput(); err != nil {
		return fmt.Errorf("building the quickstart: %w\n%s", err, text)
	}
	free, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		return err
	}
	addr := free.Addr().String()
	free.Close()
	ctx, cancel := context.WithTimeout(context.Background(), most)
	defer cancel()
	site := exec.CommandContext(ctx, program, "-addr", addr)
	if err := site.Start(); err != nil {
		return err
	}
	defer func() { cancel(); _ = site.Wait() }()
	frames := watch(ctx, "http://"+addr)
	if len(frames) < 3 || frames[len(frames)-1].Dated == 0 {
		return errors.New("the quickstart lists too little in that time, or dates nothing")
	}
	var b bytes.Buffer
	if err := picture.Execute(&b, draw(choose(frames))); err != nil {
		return err
	}
	return os.WriteFile(out, b.Bytes(), 0o644)
}

var entry = regexp.MustCompile(`<url><loc>http://[^/]+([^<]*)</loc>(?:<lastmod>([^<]*)</lastmod>)?(?:<changefreq>([^<]*)</changefreq>)?</url>`)

// watch reads the sitemap until four pages have a date, or time is up.
func watch(ctx context.Context, origin string) (frames []frame) {
	begun, tick := time.Now(), time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return frames
		case <-tick.C:
		}
		f := frame{After: time.Since(begun).Round(time.Second)}
		for _, m := range entry.FindAllStringSubmatch(sitemap(ctx, origin), -1) {
			f.Lines = append(f.Lines, line{Path: m[1], Date: m[2], Freq: m[3]})
			if m[2] != "" {
				f.Dated++
			}
		}
		if len(frames) == 0 && len(f.Lines) > 0 || len(frames) > 0 && !slices.Equal(f.Lines, frames[len(frames)-1].Lines) {
			frames = append(frames, f)
		}
		if f.Dated >= 4 {
			return frames
		}
	}
}

// sitemap returns the sitemap, "" if there is none yet.
func sitemap(ctx context.Context, origin string) string {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, origin+"/sitemap.xml", nil)
	if err != nil {
		return ""
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return ""
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		return ""
	}
	return string(body)
}

// choose takes the first frame, the last and some between them, and marks what is new in each.
func choose(all []frame) (some []frame) {
	step := max(1, float64(len(all)-1)/(shown-1))
	for n := 0.0; int(n+0.5) < len(all); n += step {
		some = append(some, all[int(n+0.5)])
	}
	for n := range some {
		for i := range some[n].Lines {
			l := &some[n].Lines[i]
			if n == 0 {
				l.New = true
				continue
			}
			before := slices.IndexFunc(some[n-1].Lines, func(o line) bool { return o.Path == l.Path })
			if l.New = before < 0; !l.New {
				l.Changed = l.Date != some[n-1].Lines[before].Date
			}
		}
	}
	return some
}

// drawing is what the template draws.
type drawing struct {
	Frames []drawn
	Height int
	Total  float64 // seconds
}

type drawn struct {
	Says         string
	Lines        []row
	Delay        float64 // of its animation
	Foot         int
	First, Alone bool
}

type row struct {
	Y          int
	Text, Kind string
}

const (
	top    = 96 // of the first page, in pixels
	height = 21 // of a line
)

func draw(frames []frame) (d drawing) {
	d.Total = rest * float64(len(frames))
	for n, f := range frames {
		one := drawn{Says: says(f), Delay: rest * float64(n), First: n == 0, Foot: top + height*len(f.Lines)}
		for i, l := range f.Lines {
			r := row{Y: top + height*i, Text: text(l)}
			switch {
			case l.New:
				r.Kind = "new"
			case l.Changed:
				r.Kind = "changed"
			}
			one.Lines = append(one.Lines, r)
		}
		d.Frames, d.Height = append(d.Frames, one), max(d.Height, one.Foot+30)
	}
	return d
}

func says(f frame) string {
	text := fmt.Sprintf("after %d seconds: %d pages", int(f.After.Seconds()), len(f.Lines))
	if f.Dated > 0 {
		text += fmt.Sprintf(", %d with the time of a change", f.Dated)
	}
	return text
}

func text(l line) string {
	t := "<url><loc>http://localhost:8080" + l.Path + "</loc>"
	if l.Date != "" {
		t += "<lastmod>" + l.Date + "</lastmod>"
	}
	if l.Freq != "" {
		t += "<changefreq>" + l.Freq + "</changefreq>"
	}
	return t + "</url>"
}

// picture shows each frame for its part of the time. Readers who want no motion see the last one.
var picture = template.Must(template.New("").Funcs(template.FuncMap{
	"percent": func(part, whole float64) string { return fmt.Sprintf("%.3f", part*100/whole) },
	"last":    func(n int, all []drawn) bool { return n == len(all)-1 },
	"rest":    func() float64 { return rest },
}).Parse(strings.TrimLeft(`
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 960 {{.Height}}" width="960" height="{{.Height}}" role="img" aria-label="The sitemap of the quickstart grows while readers visit: pages appear, then the times at which they changed">
<style>
rect.paper{fill:#fff;stroke:#d8d5cc}rect.bar{fill:#f2f0eb}circle{fill:#d8d5cc}
text{font:12px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:#4a4f56;white-space:pre}
text.says{fill:#0a6658;font-weight:600}text.new{fill:#0a6658}text.changed{fill:#2f57a0;font-weight:600}
@media(prefers-color-scheme:dark){rect.paper{fill:#15181a;stroke:#3a3f45}rect.bar{fill:#22262a}circle{fill:#4a5057}text{fill:#b9bdc2}text.says,text.new{fill:#74cbb7}text.changed{fill:#9db9ee}}
.frame{opacity:0;animation:show {{.Total}}s step-end infinite}
@keyframes show{0%{opacity:1}{{percent rest .Total}}%{opacity:0}}
@media(prefers-reduced-motion:reduce){.frame{animation:none}.frame.last{opacity:1}}
</style>
<rect class="paper" x=".5" y=".5" width="959" height="{{.Height}}" rx="10"/>
<rect class="bar" x="1" y="1" width="958" height="35" rx="9"/>
<circle cx="20" cy="18" r="5"/><circle cx="38" cy="18" r="5"/><circle cx="56" cy="18" r="5"/>
<text x="78" y="23">$ go run ./examples/quickstart</text>
<text x="20" y="66">$ curl http://localhost:8080/sitemap.xml</text>
{{- $all := .Frames}}{{range $n, $f := $all}}
<g class="frame{{if last $n $all}} last{{end}}" style="animation-delay:{{.Delay}}s"><text class="says" x="940" y="66" text-anchor="end">{{.Says}}</text>
{{- range .Lines}}
<text{{with .Kind}} class="{{.}}"{{end}} x="20" y="{{.Y}}">{{.Text}}</text>
{{- end}}</g>
{{- end}}
</svg>
`, "\n")))
