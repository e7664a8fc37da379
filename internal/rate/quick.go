package rate

import "math"

// quickLog is the logarithm of a positive number with seven digits, in a third of the time. It adds the first terms of
// a series to the logarithm of the nearest number in a table.
func quickLog(v float64) float64 {
	b := math.Float64bits(v)
	i := b >> (52 - logBits) & (1<<logBits - 1)
	m := math.Float64frombits(b&(1<<52-1) | 1023<<52)
	t := &logs[i]
	d := (m - t.at) * t.inverse
	return float64(int(b>>52)-1023)*math.Ln2 + t.log + d*(1-d*(0.5-d*(1.0/3)))
}

const logBits = 6

type logEntry struct{ at, inverse, log float64 }

var logs = newLogs()

func newLogs() (t [1 << logBits]logEntry) {
	for i := range t {
		at := 1 + (float64(i)+0.5)/(1<<logBits)
		t[i] = logEntry{at, 1 / at, math.Log(at)}
	}
	return t
}

// logOneMinus is ln(1-p) for a chance p of at most a half. It keeps its digits for a small p, since many looks multiply
// them.
func logOneMinus(p float64) float64 {
	if p < 0.02 {
		return -p * (1 + p*(0.5+p*(1.0/3+p*(0.25+p*(0.2+p*(1.0/6))))))
	}
	return quickLog(1 - p)
}

// exp is math.Exp with ten digits, in a third of the time, and 0 where that is too small to count. It is a power of
// two, whose fraction is in a table, and the first terms of a series.
func exp(x float64) float64 {
	if x < -50 {
		return 0
	}
	t := min(x, 300) * (1 << expBits / math.Ln2)
	n := int(t+1<<16) - 1<<16 // rounded down
	d := (t - float64(n)) * (math.Ln2 / (1 << expBits))
	b := math.Float64bits(powers[n&(1<<expBits-1)]) + uint64(n>>expBits)<<52
	return math.Float64frombits(b) * (1 + d*(1+d*(0.5+d*(1.0/6+d*(1.0/24)))))
}

const expBits = 6

var powers = newPowers()

func newPowers() (p [1 << expBits]float64) {
	for i := range p {
		p[i] = math.Exp2(float64(i) / (1 << expBits))
	}
	return p
}
