package rate

import "math"

// Evidence is in nats. It says that the page now changes regimeRatio times as often, or as seldom.
const (
	regimeRatio   = 8
	regimeNats    = 3 * math.Ln2 // its logarithm
	regimeChanges = 3            // changes that must be seen before regimes are looked for
	regimeFound   = 12
	regimeMax     = 15
	quietStepMax  = 6 // what one quiet time may add
	regimeKeeps   = 2 // changes that still count when the page sped up
)

// A regime is the pace at which the page changes now, and the evidence that it no longer does.
type regime struct {
	faster, slower int8  // eighths of a nat
	mean           uint8 // mean time between changes, in steps above fastestMean
	noise          uint8 // chance that a look wrongly finds a change, in steps below 1
	changes        uint8 // seen, at most 3
	restarted      bool  // a new regime was found once
}

// newRegime is the regime of a page that was not seen yet.
var newRegime = regime{mean: meanSteps(day), noise: noiseSteps(0.0005)}

const (
	fastestMean = minute
	slowestMean = 150 // steps above it: some 500 years
	mostNoise   = 4   // steps below 1
	leastNoise  = 100
)

func meanSteps(seconds float64) uint8 {
	return uint8(max(0, min(slowestMean, math.Round(math.Log(max(1, seconds/fastestMean))/stepNats))))
}

func noiseSteps(chance float64) uint8 {
	return uint8(max(mostNoise, min(leastNoise, 0.5-quickLog(chance)*(1/stepNats))))
}

// pace returns how many changes to expect in a time that is so many steps longer than the mean time between changes, and the chance of none.
func pace(steps int) (x, none float64) {
	x = math.Exp(float64(steps) * stepNats)
	return x, math.Exp(-x)
}

// beyond is how many steps a gap, in steps above shortestGap, is longer than the mean time between changes.
func (r *regime) beyond(steps int) int { return steps - paceOffset - int(r.mean) }

const paceOffset = 14 // steps between shortestGap and fastestMean

// expected is the number of changes to expect in a time.
func (r *regime) expected(seconds float64) float64 {
	mean, _ := pace(int(r.mean))
	return seconds * (1.0 / fastestMean) / mean
}

// wrong is the chance that a look finds a change where there is none.
func (r *regime) wrong() float64 { return math.Exp(-float64(r.noise) * stepNats) }

// weigh adds the likelihood ratios of a quiet time in seconds, and of a change found after a gap in steps, or at a known time.
func (r *regime) weigh(quiet float64, gap float64, known bool) {
	if r.changes < regimeChanges {
		r.changes++
		return
	}
	slower, faster := nats(r.slower), nats(r.faster)
	x := r.expected(quiet)
	slower = min(regimeMax, slower+min(quietStepMax, x-x/regimeRatio))
	faster = max(0, faster-(regimeRatio-1)*x)
	if known {
		slower, faster = slower-regimeNats, faster+regimeNats
	} else {
		steps, right := r.beyond(int(gap)), 1-r.wrong()
		_, now := pace(steps)
		_, slow := pace(steps - regimeSteps)
		_, fast := pace(steps + regimeSteps)
		slower += quickLog((1 - right*slow) / (1 - right*now))
		faster += quickLog((1 - right*fast) / (1 - right*now))
	}
	r.slower = eighths(max(0, min(regimeMax, slower)))
	r.faster = eighths(max(0, min(regimeMax, faster)))
}

// restart begins a new regime, at a pace so many steps slower.
func (r *regime) restart(steps int) {
	r.slower, r.faster, r.restarted = 0, 0, true
	r.mean = uint8(max(0, min(slowestMean, int(r.mean)+steps)))
}

// follow moves the point estimates towards the likeliest ones: the mean by a Newton step of the logarithm, the noise by
// one step of expectation and maximisation.
func (r *regime) follow(h *history) {
	e := r.wrong()
	found, curve, wrong := followPrior+float64(h.gaps[dated]), 0.0, 0.0
	first := r.beyond(int(math.Floor(middle(1) + 0.5 + float64(h.lean)*(leanUnit/stepNats))))
	for b := dated + 1; b < bins; b++ {
		if h.gaps[b] == 0 {
			continue
		}
		c := float64(h.gaps[b])
		x, none := pace(first + (b-1)*binSteps)
		share := none / (1 - (1-e)*none)
		g := (1 - e) * x * share
		found += c * g
		curve += c * g * (1 - x - g)
		wrong += c * share
	}
	expected := r.expected(float64(h.time) + followTime)
	step := max(-1, min(1, (found-expected)/max(expected-curve, 0.3*(expected+0.1))))
	if n := float64(h.changes()); expected > n*math.E { // too fast by far, even if each change were a single one
		step = -quickLog(expected / n)
	}
	r.mean = uint8(max(0, min(slowestMean, float64(r.mean)-math.Floor(step*(1/stepNats)+0.5))))
	wrong = followNoise + e*wrong
	r.noise = noiseSteps(wrong / (float64(h.looks) + wrong + followLooks))
}

// The values that the point estimates are drawn to while little was seen.
const (
	followPrior = 0.12
	followTime  = 4000.0 // seconds
	followNoise = 0.02
	followLooks = 20
)

func nats(eighths int8) float64 { return float64(eighths) / 8 }

func eighths(nats float64) int8 { return int8(nats*8 + 0.5) }
