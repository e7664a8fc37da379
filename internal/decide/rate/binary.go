package rate

// MarshalBinary returns the estimate as it is stored.
func (e Estimate) MarshalBinary() ([]byte, error) { return e.AppendBinary(nil), nil }

// UnmarshalBinary reads what MarshalBinary wrote. An estimate that cannot be read starts anew.
func (e *Estimate) UnmarshalBinary(b []byte) error {
	*e, _ = Parse(b)
	return nil
}
