package rate

import (
	"math"
	"testing"
)

func TestQuickLog(t *testing.T) {
	for v := 1e-12; v < 1e12; v *= 1.037 {
		if got, want := quickLog(v), math.Log(v); math.Abs(got-want) > 1e-7 {
			t.Fatalf("quickLog(%g) = %.9g, want %.9g", v, got, want)
		}
	}
}

func TestExp(t *testing.T) {
	for x := -50.0; x <= 300; x += 0.0137 {
		if got, want := exp(x), math.Exp(x); !near(got, want, 1e-10) {
			t.Fatalf("exp(%g) = %.12g, want %.12g", x, got, want)
		}
	}
	for _, tt := range []struct{ x, want float64 }{{math.Inf(-1), 0}, {-51, 0}, {0, 1}, {1000, math.Exp(300)}} {
		if got := exp(tt.x); !near(got, tt.want, 1e-10) {
			t.Errorf("exp(%g) = %g, want %g", tt.x, got, tt.want)
		}
	}
}

func TestLogOneMinus(t *testing.T) {
	for p := 1e-9; p <= noiseMost; p *= 1.013 {
		if got, want := logOneMinus(p), math.Log1p(-p); !near(got, want, 1e-7) {
			t.Fatalf("logOneMinus(%g) = %.9g, want %.9g", p, got, want)
		}
	}
}
