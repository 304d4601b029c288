package main

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"
	"time"
)

// quantile is the inverse of a distribution function: the latency that a share u of the requests, 0 < u < 1, stays below.
type quantile func(u float64) time.Duration

const maxLatency = time.Minute

// vanDerCorput is the n-th point, from 0, of the sequence in base 2 (van der Corput, 1935): the bits of n mirrored at the
// point. Every 2^k points from a multiple of 2^k fall one each into the 2^k equal parts of the unit interval, and any other
// run of N points misses an interval's due by less than log2(N) + 2 points. The half keeps it off 0; 52 bits keep it exact.
func vanDerCorput(n uint64) float64 {
	return (float64(bits.Reverse64(n)>>12) + 0.5) / (1 << 52)
}

// parseLatency knows the five forms in `forms`; an empty text is no latency.
func parseLatency(text string) (quantile, error) {
	if text == "" {
		return constant(0), nil
	}
	kind, rest, _ := strings.Cut(text, ":")
	form, known := forms[kind]
	if !known {
		return nil, fmt.Errorf("unknown distribution %q; known: constant, uniform, exponential, twomodes, lognormal", kind)
	}
	args := strings.Split(rest, ":")
	if len(args) != form.times+form.numbers {
		return nil, fmt.Errorf("%q is not like %s", text, form.example)
	}
	times := make([]time.Duration, form.times)
	for i := range times {
		var err error
		if times[i], err = time.ParseDuration(args[i]); err != nil || times[i] < 0 || times[i] > maxLatency {
			return nil, fmt.Errorf("%q is not a time from 0 to %v, as in %s", args[i], maxLatency, form.example)
		}
	}
	number := 0.0
	if form.numbers == 1 {
		var err error
		last := args[form.times]
		if number, err = strconv.ParseFloat(last, 64); err != nil || !(number >= 0 && number <= form.most) {
			return nil, fmt.Errorf("%q is not a number from 0 to %v, as in %s", last, form.most, form.example)
		}
	}
	if kind == "uniform" && times[0] > times[1] {
		return nil, fmt.Errorf("%q has its ends in the wrong order", text)
	}
	q := form.make(times, number)
	return func(u float64) time.Duration { return min(q(u), maxLatency) }, nil
}

type form struct {
	times, numbers int
	most           float64 // bound on the number
	example        string
	make           func(t []time.Duration, x float64) quantile
}

var forms = map[string]form{
	"constant":    {1, 0, 0, "constant:2ms", func(t []time.Duration, _ float64) quantile { return constant(t[0]) }},
	"uniform":     {2, 0, 0, "uniform:1ms:3ms", func(t []time.Duration, _ float64) quantile { return uniform(t[0], t[1]) }},
	"exponential": {1, 0, 0, "exponential:2ms", func(t []time.Duration, _ float64) quantile { return exponential(t[0]) }},
	"twomodes":    {2, 1, 1, "twomodes:1ms:20ms:0.01", func(t []time.Duration, x float64) quantile { return twoModes(t[0], t[1], x) }},
	"lognormal":   {1, 1, 3, "lognormal:2ms:0.5", func(t []time.Duration, x float64) quantile { return logNormal(t[0], x) }},
}

func constant(d time.Duration) quantile {
	return func(float64) time.Duration { return d }
}

func uniform(least, most time.Duration) quantile {
	return func(u float64) time.Duration { return least + scale(most-least, u) }
}

func exponential(mean time.Duration) quantile {
	return func(u float64) time.Duration { return scale(mean, -math.Log1p(-u)) }
}

// twoModes is the second value for a share `second` of the requests.
func twoModes(first, other time.Duration, second float64) quantile {
	return func(u float64) time.Duration {
		if u < 1-second {
			return first
		}
		return other
	}
}

// logNormal has normal logarithms with standard deviation sigma.
func logNormal(median time.Duration, sigma float64) quantile {
	return func(u float64) time.Duration {
		z := -math.Sqrt2 * math.Erfcinv(2*u)
		return scale(median, math.Exp(sigma*z))
	}
}

func scale(d time.Duration, x float64) time.Duration {
	return time.Duration(math.Round(math.Min(float64(d)*x, float64(maxLatency))))
}
