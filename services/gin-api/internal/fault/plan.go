// Package fault makes the service worse in a known way, on demand, so that the power of whatever measures it
// can be measured. It is off unless TAILGATE_FAULTS is set.
package fault

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// maxAmount is large enough for any use and small enough that no sum or unit of it overflows.
const maxAmount = 1_000_000_000_000

// routes can be made worse; the operator's own never are.
var routes = []string{
	"/echo", "/process", "/experiments", "/hello/{path}", "/documents", "/users/{id}", "/users/{id}/summary", "/fanout",
}

// Plan is what TAILGATE_FAULTS asks for. A zero is a fault that is off.
type Plan struct {
	// Spec is the variable's text.
	Spec string

	route               string // empty: all of routes
	latencyUs           uint64
	slowOneIn           uint64
	slowUs              uint64
	stallEveryMs        uint64
	stallUs             uint64
	keepBytes           uint64
	keepBytesPerRequest uint64
	cpuUs               uint64
	errorOneIn          uint64
	startDelayMs        uint64
	crashAfter          uint64
	nPlusOne            uint64
}

// amounts are the keys with a number, and the least number each takes.
var amounts = []struct {
	key   string
	least uint64
	field func(*Plan) *uint64
}{
	{"latency_us", 0, func(p *Plan) *uint64 { return &p.latencyUs }},
	{"slow_one_in", 1, func(p *Plan) *uint64 { return &p.slowOneIn }},
	{"slow_us", 0, func(p *Plan) *uint64 { return &p.slowUs }},
	{"stall_every_ms", 1, func(p *Plan) *uint64 { return &p.stallEveryMs }},
	{"stall_us", 0, func(p *Plan) *uint64 { return &p.stallUs }},
	{"keep_bytes", 0, func(p *Plan) *uint64 { return &p.keepBytes }},
	{"keep_bytes_per_request", 0, func(p *Plan) *uint64 { return &p.keepBytesPerRequest }},
	{"cpu_us", 0, func(p *Plan) *uint64 { return &p.cpuUs }},
	{"error_one_in", 1, func(p *Plan) *uint64 { return &p.errorOneIn }},
	{"start_delay_ms", 0, func(p *Plan) *uint64 { return &p.startDelayMs }},
	{"crash_after", 1, func(p *Plan) *uint64 { return &p.crashAfter }},
	{"n_plus_one", 0, func(p *Plan) *uint64 { return &p.nPlusOne }},
}

// pairs are keys that mean nothing without each other.
var pairs = [][2]string{{"slow_one_in", "slow_us"}, {"stall_every_ms", "stall_us"}}

// Parse reads a comma-separated list of key=value.
func Parse(spec string) (Plan, error) {
	plan := Plan{Spec: spec}
	seen := map[string]bool{}
	for item := range strings.SplitSeq(spec, ",") {
		key, value, _ := strings.Cut(item, "=")
		if seen[key] {
			return Plan{}, fmt.Errorf("TAILGATE_FAULTS: %s is given twice", key)
		}
		seen[key] = true
		if err := plan.set(key, value); err != nil {
			return Plan{}, err
		}
	}
	for _, pair := range pairs {
		if seen[pair[0]] != seen[pair[1]] {
			return Plan{}, fmt.Errorf("TAILGATE_FAULTS: %s and %s must be given together", pair[0], pair[1])
		}
	}
	if plan.stallEveryMs > 0 && plan.stallUs >= plan.stallEveryMs*1_000 {
		return Plan{}, fmt.Errorf("TAILGATE_FAULTS: stall_us must be shorter than stall_every_ms")
	}
	return plan, nil
}

func (p *Plan) set(key, value string) error {
	if key == "route" {
		if !slices.Contains(routes, value) {
			return fmt.Errorf(`TAILGATE_FAULTS: route must be one of %s, got "%s"`,
				strings.Join(routes, ", "), value)
		}
		p.route = value
		return nil
	}
	names := make([]string, len(amounts))
	for i, amount := range amounts {
		names[i] = amount.key
		if amount.key != key {
			continue
		}
		n, err := strconv.ParseUint(value, 10, 64)
		if err != nil || n < amount.least || n > maxAmount {
			return fmt.Errorf(`TAILGATE_FAULTS: %s must be a whole number from %d to %d, got "%s"`,
				key, amount.least, uint64(maxAmount), value)
		}
		*amount.field(p) = n
		return nil
	}
	return fmt.Errorf(`TAILGATE_FAULTS: unknown key "%s"; valid keys: route, %s`, key, strings.Join(names, ", "))
}

// StartDelay is slept before listening.
func (p *Plan) StartDelay() time.Duration {
	return time.Duration(p.startDelayMs) * time.Millisecond
}

func (p *Plan) covers(route string) bool {
	return p.route == route || p.route == "" && slices.Contains(routes, route)
}

// latency is the extra latency of the nth request.
func (p *Plan) latency(nth uint64) time.Duration {
	us := p.latencyUs
	if every(p.slowOneIn, nth) {
		us += p.slowUs
	}
	return time.Duration(us) * time.Microsecond
}

// stallLeft is how much of a stall is left at sinceStart. The first begins after one whole period.
func (p *Plan) stallLeft(sinceStart time.Duration) time.Duration {
	period := time.Duration(p.stallEveryMs) * time.Millisecond
	if period == 0 || sinceStart < period {
		return 0
	}
	stall := time.Duration(p.stallUs) * time.Microsecond
	return max(0, stall-sinceStart%period)
}

func (p *Plan) fails(nth uint64) bool {
	return every(p.errorOneIn, nth)
}

func (p *Plan) crashes(nth uint64) bool {
	return p.crashAfter > 0 && nth >= p.crashAfter
}

func every(oneIn, nth uint64) bool {
	return oneIn > 0 && nth%oneIn == 0
}
