package inspect

import "context"

// sayingKey is the context key of what Saying was given.
type sayingKey struct{}

// sayer changes the texts of answers.
type sayer struct {
	say  func(string) string
	page func(*Page)
}

// Saying returns a context for requests to an Inspector. In their answers say replaces the
// texts that name options of the library, for owners who do not write Go. Addresses stay as
// they are. page may then change what is said of one page. Both are called concurrently.
func Saying(ctx context.Context, say func(string) string, page func(*Page)) context.Context {
	return context.WithValue(ctx, sayingKey{}, sayer{say, page})
}

// sayerOf returns what Saying was given, or what changes nothing.
func sayerOf(ctx context.Context) sayer {
	if s, ok := ctx.Value(sayingKey{}).(sayer); ok {
		return s
	}
	return sayer{func(text string) string { return text }, func(*Page) {}}
}

// said returns the data of a view with its texts changed.
func (s sayer) said(data any) any {
	say := s.say
	switch d := data.(type) {
	case Overview:
		d.Hints, d.Notes = saidAll(d.Hints, say), saidAll(d.Notes, say)
		for n := range d.Reasons { // they were made for this view
			d.Reasons[n].Means, d.Reasons[n].Todo = say(d.Reasons[n].Means), say(d.Reasons[n].Todo)
		}
		for n := range d.Responses {
			d.Responses[n].Means = say(d.Responses[n].Means)
		}
		return d
	case Page:
		d.Text, d.Missing = say(d.Text), saidAll(d.Missing, say)
		d.Dates.Text = say(d.Dates.Text)
		s.page(&d)
		return d
	case Help:
		for n := range d.Reasons {
			d.Reasons[n].Text, d.Reasons[n].Todo = say(d.Reasons[n].Text), say(d.Reasons[n].Todo)
		}
		return d
	case Problem:
		return Problem{say(d.Error)}
	}
	return data
}

// saidAll leaves out what say makes empty.
func saidAll(texts []string, say func(string) string) (all []string) {
	for _, text := range texts {
		if text = say(text); text != "" {
			all = append(all, text)
		}
	}
	return all
}
