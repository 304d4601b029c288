package fault

import (
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gin-gonic/gin"
)

const crashExitCode = 70

// spin bounds what is waited without a timer. Timers of both runtimes are about 1 ms coarse, which would drown
// an injected 300 µs. So waits up to this long are spun, and longer ones sleep until this long before their end
// and spin the rest. A spin holds its thread: with more concurrent requests than cores, waits add up as work would.
const spin = 2 * time.Millisecond

// Faults is a plan at work: its counter, its clock and the memory it keeps.
type Faults struct {
	plan     Plan
	started  time.Time
	requests atomic.Uint64

	mu   sync.Mutex
	kept [][]byte
}

// New starts the plan's clock and takes the memory it keeps in total.
func New(plan Plan) *Faults {
	f := &Faults{plan: plan, started: time.Now()}
	f.keep(plan.keepBytes)
	return f
}

// Covers reports whether the plan makes the route worse. Nil faults cover none.
func (f *Faults) Covers(route string) bool {
	return f != nil && f.plan.covers(route)
}

// NPlusOne is how many rows of the route are each to be asked for in a query of their own.
func (f *Faults) NPlusOne(route string) uint64 {
	if !f.Covers(route) {
		return 0
	}
	return f.plan.nPlusOne
}

// Middleware injects the faults. answerError writes the answer of a request that error_one_in picks.
func (f *Faults) Middleware(answerError gin.HandlerFunc) gin.HandlerFunc {
	return func(c *gin.Context) {
		nth := f.requests.Add(1)
		if f.plan.crashes(nth) {
			os.Exit(crashExitCode)
		}
		f.keep(f.plan.keepBytesPerRequest)
		spinUntil(time.Now().Add(time.Duration(f.plan.cpuUs) * time.Microsecond))
		wait(f.plan.latency(nth))
		if f.plan.fails(nth) {
			answerError(c)
			c.Abort()
		} else {
			c.Next()
		}
		// After the work, so that nothing at all is answered during a stall: an answer leaves its buffer only
		// when the last handler returns.
		wait(f.plan.stallLeft(time.Since(f.started)))
	}
}

func (f *Faults) keep(bytes uint64) {
	if bytes == 0 {
		return
	}
	memory := make([]byte, bytes)
	// Fresh pages are not in memory until they are written.
	for i := range memory {
		memory[i] = 1
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.kept = append(f.kept, memory)
}

func wait(length time.Duration) {
	end := time.Now().Add(length)
	if length > spin {
		time.Sleep(length - spin)
	}
	spinUntil(end)
}

func spinUntil(end time.Time) {
	for time.Now().Before(end) {
	}
}
