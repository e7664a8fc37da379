// Servemap puts a sitemap in front of any site, in any language. It forwards requests to
// the site, or serves a folder, and learns the sitemap from the pages that go by:
//
//	servemap proxy -to http://localhost:3000 -origin https://example.com -data sitemap-data -explore
//
// "servemap help" lists its commands and exit codes, and "servemap help proxy" the flags of one command. The rest
// is in docs/command.md. The folder deploy has a Containerfile and a systemd unit.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/servemap/servemap/cmd/servemap/internal/settings"
	"github.com/servemap/servemap/cmd/servemap/internal/terminal"
	"github.com/servemap/servemap/internal/admin/metrics"
	"github.com/servemap/servemap/internal/page/words"
)

// The exit codes. Scripts rely on them; "servemap help" lists them.
const (
	codeDone        = 0
	codeFailed      = 1
	codeUsage       = 2
	codeNo          = 3 // the answer is "no": not listed, faults found, not ready
	codeLocked      = 4 // another process holds the data, and does not answer
	codeInterrupted = 130
)

// exit is an error that ends the program with its own exit code. If text is "", nothing
// more is printed.
type exit struct {
	code int
	text string
}

func (e exit) Error() string { return e.text }

// usage is the error of a wrong call. It names the flag and the fix. Settings in braces are as for package words.
func usage(format string, args ...any) error {
	return exit{codeUsage, fmt.Sprintf(words.Say(format), args...)}
}

// errNo ends a command that has printed its answer, and the answer is "no".
var errNo = exit{code: codeNo}

// streams are where a command writes. Only data goes to out.
type streams struct {
	out, err io.Writer
}

// A command is a row of the table. setup declares its flags. It returns a function that
// runs the command with the arguments that are not flags.
type command struct {
	name, args, short string
	example           string // what comes after "servemap "
	takes             string // what its argument is, in brackets if it may be left out; "" if it has none
	setup             func(s streams, fs *flag.FlagSet) func(ctx context.Context, arg string) error
}

// commands is the table, in the order in which help lists it.
func commands() []command {
	return []command{
		{"crawl", "URL [-out FILE] [-data DIR]", "visit a site once, and write its sitemap",
			"crawl https://example.com -out sitemap.xml", "the address of a site", crawlCommand},
		{"check", "URL [-out report.html]", "say what is wrong with the sitemap of a site",
			"check https://example.com", "the URL of a site or of a sitemap", checkCommand},
		{"proxy", "-to URL [-origin URL] -data DIR", "serve a site with its sitemap",
			"proxy -to http://localhost:3000 -origin https://example.com -data sitemap-data -explore", "", proxyCommand},
		{"files", "DIR [-origin URL] -data DIR", "serve a folder of HTML files with its sitemap",
			"files public -origin https://example.com -data sitemap-data", "the folder of the site's HTML files", filesCommand},
		{"run", "-config FILE", "serve the sites that a file names",
			"run -config servemap.toml", "", runCommand},
		{"config", "[-config FILE]", "print all settings of a file, with what each is for",
			"config -config servemap.toml", "", configCommand},
		{"explore", "-data DIR", "visit the pages of the site, so that they are listed before their first visitor",
			"explore -data sitemap-data", "", exploreCommand},
		{"explain", "-data DIR URL", "say whether a page is listed, and why",
			"explain -data sitemap-data /about", "the URL of a page, or its path", explainCommand},
		{"list", "-data DIR", "print the listed pages",
			"list -data sitemap-data", "", listCommand},
		{"status", "-data DIR", "say how much is known and listed, and what to do",
			"status -data sitemap-data", "", statusCommand},
		{"forget", "-data DIR URL", "take a page out of the sitemap and bar it",
			"forget -data sitemap-data /old", "the URL of a page, or its path", forgetCommand},
		{"link", "-data DIR", "print the link that opens the inspector of -admin",
			"link -data sitemap-data", "", linkCommand},
		{"health", "-data DIR", "say whether the site is served",
			"health -data sitemap-data", "", healthCommand},
		{"help", "[-all] [COMMAND]", "explain a command",
			"help proxy", "[a command]", helpCommand},
	}
}

// more is what help says about a command beyond the table.
var more = map[string]string{
	"crawl": "It asks for pages along the links, as a stranger does: what robots.txt disallows to\n" +
		"servemap-explore, what may change something and what needs a log-in stays out. With -data the\n" +
		"next crawl knows what this one saw, so that changes get a true lastmod. A large site gets an\n" +
		"index, with its parts beside FILE. With -admin it goes on showing what it learned. Only the site's\n" +
		"own links are followed, so links to other sites and pictures are not checked.\n" +
		"Exit codes: 0 done; 3 if -max cut it (then a file that has more pages is kept), if no page is\n" +
		"listed, or if there is what -fail names; 1 if it failed; 2 for a wrong call.",
	"check": "It finds the sitemap by robots.txt, reads it as search engines do, and some of the listed pages.\n" +
		"It asks for no pictures or films. -crawl counts what a stranger gets as public, also\n" +
		"what is sent as private or no-store, and pages with a parameter that is listed.\n" +
		"Exit codes: 0 without a fault, whatever the advice; 3 if there is a fault, no sitemap, or what -fail\n" +
		"names; 1 if nothing could be checked; 2 for a wrong call.\n\n" +
		"With -json each finding is an object on a line of its own: level (fault or advice), kind, where (a page\n" +
		"or a file), file and line (where that is listed), to (where a broken link leads), text. The last line has\n" +
		"the level summary:\n\n" +
		"  url, options, site, time, version   what was checked, and how\n" +
		"  files      of the sitemap, each with url, form, entries, bytes, and to, if it redirects there\n" +
		"  sample     pages: listed; asked for; read, which is how many answered with a page or a\n" +
		"             file; files, the latter alone; disallowed, walled, elsewhere and unfit, which are\n" +
		"             left out; seed; choice, if some were chosen\n" +
		"  limits, facts      bounds that were met, and what was compared\n" +
		"  faults, advice     how many there are\n" +
		"  groups     each with level, harm, kind, count, title and remedy, the worst first\n\n" +
		"-out FILE.json is that summary alone, with the findings of each group.",
	"run": "At SIGHUP it reads the file anew. All sites begin anew, and no visitor\n" +
		"waits. If the file is wrong, nothing changes, and the log names its line.",
	"config": "Without a file it prints the defaults. Passwords and keys are not shown.",
	"files": "The pages are visited along the links at each start, so that they are listed before\n" +
		"their first visitor. Hidden files and lists of files are not served.",
	"explore": "It asks the origin for pages along the links, as a stranger does, so what a server in front\n" +
		"protects stays out. Where -origin does not lead to the process, it asks nothing without\n" +
		"-inside, and then the site itself. It asks for no link that may change\n" +
		"something, such as /logout, for nothing that robots.txt disallows, and for no query but page\n" +
		"and those of -query.",
	"link": "Whoever has the link may read what is known, and forget pages. It ends with the process.",
	"health": "The exit code is 0 if visitors are served, also while the site behind does not answer, or the\n" +
		"sitemap is not ready: a restart would help neither. It is 3 if not. -json has serves, ready and down,\n" +
		"which says that the site behind does not answer.",
	"list": "It prints a line for each page: the URL, the lastmod and the changefreq, with tabs between them.\n" +
		"With -json there is more of each.",
	"forget": "The page stays out until -always or -undo names it. What was learned of it is erased.\n" +
		"With -undo the page may be listed again. The exit code is 3 if nothing was known of the page.",
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // then a second signal ends the process at once
	os.Exit(run(ctx, os.Args[1:], streams{out: os.Stdout, err: os.Stderr}))
}

// run runs the command that the arguments name, and returns the exit code.
func run(ctx context.Context, args []string, s streams) int {
	style := words.Flags
	if len(args) > 0 && (args[0] == "run" || args[0] == "config") { // the owner reads and writes a file
		style = words.Keys
	}
	words.Use(style)
	screen := terminal.Plain{To: s.err}
	s.out, s.err = terminal.Plain{To: s.out}, screen
	if len(args) == 0 {
		_ = overview(s.err)
		return codeUsage
	}
	name := strings.TrimLeft(args[0], "-")
	switch {
	case slices.Contains([]string{"v", "version"}, name):
		if _, err := fmt.Fprintf(s.out, "servemap %s\n", metrics.Version()); err != nil {
			return codeFailed
		}
		return codeDone
	case name == "h":
		name = "help"
	}
	c, err := find(name)
	if err == nil {
		err = c.run(ctx, args[1:], s)
		name = "servemap " + c.name
	} else {
		name = "servemap"
	}
	if err != nil {
		screen.Clear()
	}
	var e exit
	switch {
	case err == nil:
		return codeDone
	case errors.As(err, &e) && e.text == "":
		return e.code
	case ctx.Err() != nil:
		why := strings.TrimPrefix(": "+terminal.Conceal(err.Error()), ": "+context.Canceled.Error())
		fmt.Fprintf(s.err, "%s: interrupted%s\n", name, why)
		return codeInterrupted
	}
	fmt.Fprintf(s.err, "%s: %s\n", name, terminal.Conceal(err.Error()))
	return cmp.Or(e.code, codeFailed)
}

// flagSet returns the command's flags, and what runs it once they are parsed.
func (c command) flagSet(s streams) (*flag.FlagSet, func(context.Context, string) error) {
	fs := flag.NewFlagSet(c.name, flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	return fs, c.setup(s, fs)
}

// withFlag returns the name of the first command that has a flag, "" for none.
func withFlag(flag string) string {
	for _, c := range commands() {
		if fs, _ := c.flagSet(streams{}); fs.Lookup(strings.TrimLeft(flag, "-")) != nil {
			return c.name
		}
	}
	return ""
}

func (c command) run(ctx context.Context, args []string, s streams) error {
	fs, do := c.flagSet(s)
	var rest []string
	for len(args) > 0 { // flags may also follow the arguments
		if err := fs.Parse(args); errors.Is(err, flag.ErrHelp) {
			return c.help(s.out, false)
		} else if err != nil {
			help := fmt.Sprintf("See \"servemap help -all %s\".", c.name)
			name, unknown := strings.CutPrefix(err.Error(), "flag provided but not defined: ")
			if m := badValue.FindStringSubmatch(err.Error()); m != nil {
				if m[3] == "" {
					m[3] = wants(fs.Lookup(m[2]))
				}
				return usage("-%s %s: give %s. %s", m[2], m[1], m[3], help)
			}
			if name, bare := strings.CutPrefix(err.Error(), "flag needs an argument: "); bare {
				return usage("%s has no value; give one behind it. %s", name, help)
			}
			if !unknown {
				return usage("%v. %s", err, help)
			}
			var names []string
			fs.VisitAll(func(f *flag.Flag) { names = append(names, "-"+f.Name) })
			if of := withFlag(name); of != "" {
				help = "That is a flag of servemap " + of + ". " + help
			}
			return usage("There is no flag %s. %s", name, settings.Meant(name, names, help))
		}
		list := apart(fs, args[:len(args)-fs.NArg()], fs.Args())
		if args = fs.Args(); c.takes == "" && list != "" {
			return usage("%q belongs to no flag; write a list as one value: %s", args[0], list)
		}
		if len(args) > 0 {
			rest, args = append(rest, args[0]), args[1:]
		}
	}
	switch {
	case c.takes == "" && len(rest) > 0:
		return usage("%q belongs to no flag, and this command takes only flags, such as: servemap %s", rest[0], c.example)
	case c.takes != "" && len(rest) == 0 && c.takes[0] != '[':
		return usage("give %s, such as: servemap %s", c.takes, c.example)
	case len(rest) > 1:
		return usage("%q is one too many; give %s alone", rest[1], strings.Trim(c.takes, "[]"))
	}
	return do(ctx, strings.Join(rest, ""))
}

// apart returns how to write a list whose further values stand behind its flag and first value, "" if there is none.
func apart(fs *flag.FlagSet, before, more []string) string {
	n := len(before)
	if n < 2 || len(more) == 0 {
		return ""
	}
	f := fs.Lookup(strings.TrimLeft(before[n-2], "-"))
	if f == nil || reflect.TypeOf(f.Value) != reflect.TypeFor[settings.Setting]() ||
		f.Value.(settings.Setting).Type.Kind() != reflect.Slice {
		return ""
	}
	if end := slices.IndexFunc(more, func(arg string) bool { return strings.HasPrefix(arg, "-") }); end > 0 {
		more = more[:end]
	}
	return before[n-2] + " " + strings.Join(append([]string{before[n-1]}, more...), ",")
}

// badValue matches what package flag says of a value. Of a setting, it ends with what the setting takes.
var badValue = regexp.MustCompile(
	`^invalid (?:boolean )?value "(.*)" for (?:flag )?-([\w-]+): (?:parse error|value out of range|it takes (.*))$`)

// wants says what a flag takes that is no setting.
func wants(f *flag.Flag) string {
	switch f.Value.(flag.Getter).Get().(type) {
	case time.Duration:
		return "a number with a unit, such as 5s or 5m"
	case bool:
		return "no value, or true or false"
	}
	return "a whole number, such as 20"
}

func find(name string) (command, error) {
	var names []string
	for _, c := range commands() {
		if c.name == name {
			return c, nil
		}
		names = append(names, c.name)
	}
	return command{}, usage("There is no command %q. %s", name, settings.Meant(name, names,
		"The commands are "+strings.Join(names, ", ")+"."))
}

func helpCommand(s streams, fs *flag.FlagSet) func(context.Context, string) error {
	all := fs.Bool("all", false, "name all flags of the command")
	return func(_ context.Context, name string) error {
		if name == "" {
			return overview(s.out)
		}
		c, err := find(name)
		if err != nil {
			return err
		}
		return c.help(s.out, *all)
	}
}

func overview(w io.Writer) error {
	fmt.Fprint(w, "servemap serves a site with the sitemap that it learns from the site's pages.\n\n")
	for _, c := range commands() {
		fmt.Fprintf(w, "  %-11s %s\n", c.name, c.short)
	}
	_, err := fmt.Fprint(w, `
"servemap help COMMAND" says more, and "servemap -v" the version. Exit codes: 0 done,
1 failed, 2 wrong usage, 3 the answer is no (not listed, faults found, not ready),
4 another process holds the data and does not answer, 130 interrupted.
`)
	return err
}

func (c command) help(w io.Writer, all bool) error {
	fs, _ := c.flagSet(streams{})
	fmt.Fprintf(w, "servemap %s: %s\n\n  servemap %s\n", c.name, c.short, strings.TrimSpace(c.name+" "+c.args))
	if text := more[c.name]; text != "" {
		fmt.Fprintf(w, "\n%s\n", text)
	}
	fmt.Fprintf(w, "\nExample:\n\n  servemap %s\n", c.example)
	groups, left, order := map[string]string{}, 0, []string{"Flags"}
	for _, x := range new(settings.Settings).All() {
		order = append(order, x.Group)
	}
	fs.VisitAll(func(f *flag.Flag) {
		kind, text := flag.UnquoteUsage(f)
		group := "Flags"
		if x, is := f.Value.(settings.Setting); is {
			group, kind = x.Group, x.Tag.Get("arg")
			if x.Type.Kind() == reflect.Slice {
				text += "; may be given more than once"
			}
			if env := x.Tag.Get("env"); env != "" {
				text += "; by default " + env + " of the environment"
			}
			if first := x.Tag.Get("first"); first != "1" && first != c.name && !all {
				left++
				return
			}
		}
		if !slices.Contains([]string{"", "0", "false"}, f.DefValue) {
			text += " (by default " + f.DefValue + ")"
		}
		groups[group] += fmt.Sprintf("  %s\n        %s\n", strings.TrimSpace("-"+f.Name+" "+kind), text)
	})
	for _, g := range slices.Compact(order) {
		if groups[g] != "" {
			fmt.Fprintf(w, "\n%s:\n\n%s", g, groups[g])
		}
	}
	if left > 0 {
		fmt.Fprintf(w, "\nAll flags, %d more: servemap help -all %s\n", left, c.name)
	}
	return nil
}

// newLog returns the log of a command in a form, with what is of a level and above.
func newLog(s streams, form string, level slog.Level) (*slog.Logger, error) {
	log, err := terminal.NewLog(s.err.(terminal.Plain), form, level) // run has made it one
	if err != nil {
		return nil, usage("%v", err)
	}
	return log, nil
}
