package mark

// MarshalBinary returns the mark as it is stored.
func (m Mark) MarshalBinary() ([]byte, error) { return m.AppendBinary(nil), nil }

// UnmarshalBinary reads what MarshalBinary wrote. A mark that cannot be read starts anew.
func (m *Mark) UnmarshalBinary(b []byte) error {
	*m, _ = Parse(b)
	return nil
}
