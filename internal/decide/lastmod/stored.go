package lastmod

import "github.com/servemap/servemap/internal/schema/codec"

// MarshalBinary returns the dates as they are stored.
func (d Dates) MarshalBinary() ([]byte, error) {
	return codec.Encode(func(f *codec.Fields) { d.Fields(f, 1) }, ""), nil
}

// UnmarshalBinary reads what MarshalBinary wrote.
func (d *Dates) UnmarshalBinary(b []byte) error {
	*d = Dates{}
	_, err := codec.Read(b, codec.Into(func(f *codec.Fields) { d.Fields(f, 1) }))
	return err
}

// MarshalBinary returns the summary as it is stored.
func (sum Summary) MarshalBinary() ([]byte, error) {
	return codec.Encode(func(f *codec.Fields) { sum.Fields(f, 1) }, ""), nil
}

// UnmarshalBinary reads what MarshalBinary wrote.
func (sum *Summary) UnmarshalBinary(b []byte) error {
	*sum = Summary{}
	_, err := codec.Read(b, codec.Into(func(f *codec.Fields) { sum.Fields(f, 1) }))
	return err
}
