package main

import (
	"testing"
	"time"
)

const said = `Running 5s test @ http://127.0.0.1:41001
  1 threads and 32 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     1.02ms    1.39ms  20.55ms   88.87%
  Latency Distribution
     50%  469.00us
     99%    6.25ms
  260917 requests in 5.01s, 2.57GB read
Requests/sec:  52115.13
Transfer/sec:    525.10MB
`

func TestParse(t *testing.T) {
	for _, c := range []struct {
		name, out string
		want      measured
		fails     bool
	}{
		{"a measurement", said, measured{perSecond: 52115.13, requests: 260917, p99: 6250 * time.Microsecond}, false},
		{"errors", said + "  Non-2xx or 3xx responses: 12\n", measured{}, true},
		{"broken connections", said + "  Socket errors: connect 0, read 3, write 0, timeout 0\n", measured{}, true},
		{"nothing", "", measured{}, true},
	} {
		if got, err := parse(c.out); got != c.want || (err != nil) != c.fails {
			t.Errorf("%s: %+v, %v, want %+v", c.name, got, err, c.want)
		}
	}
}

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   float64
	}{{nil, 0}, {[]float64{3, 1, 2}, 2}, {[]float64{4, 1, 2, 3}, 2.5}} {
		if got := median(c.values); got != c.want {
			t.Errorf("median of %v is %v, want %v", c.values, got, c.want)
		}
	}
}
