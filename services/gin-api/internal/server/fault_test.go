package server

import (
	"fmt"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/gin-gonic/gin"
)

// Each fault as a client sees it, without a socket. Those that concern the process are in main_test.go.

func ask(router *gin.Engine, method, path string) (int, time.Duration) {
	answer := httptest.NewRecorder()
	request := httptest.NewRequest(method, path, nil)
	started := time.Now()
	router.ServeHTTP(answer, request)
	return answer.Code, time.Since(started)
}

// refused is how long a request takes that is refused before any work, so that only the fault takes time.
func refused(t *testing.T, router *gin.Engine) time.Duration {
	t.Helper()
	status, took := ask(router, "GET", "/process")
	if status != 422 {
		t.Fatalf("status %d", status)
	}
	return took
}

func fastestRefused(t *testing.T, router *gin.Engine) time.Duration {
	t.Helper()
	fastest := time.Hour
	for range 20 {
		fastest = min(fastest, refused(t, router))
	}
	return fastest
}

func TestLatencyIsExactBelowAndAboveTheTimer(t *testing.T) {
	for _, wanted := range []time.Duration{300 * time.Microsecond, 2 * time.Millisecond, 3500 * time.Microsecond} {
		router := routerWith(t, fmt.Sprintf("TAILGATE_FAULTS=latency_us=%d", wanted.Microseconds()))
		if got := fastestRefused(t, router); got < wanted || got >= wanted+time.Millisecond/2 {
			t.Errorf("%v for %v", got, wanted)
		}
	}
}

func TestEveryNthRequestIsSlow(t *testing.T) {
	router := routerWith(t, "TAILGATE_FAULTS=slow_one_in=3,slow_us=4000")
	var slow []int
	for nth := 1; nth <= 6; nth++ {
		if refused(t, router) >= 4*time.Millisecond {
			slow = append(slow, nth)
		}
	}
	// Another request may be slow by itself on a busy machine; these must be.
	if !slices.Contains(slow, 3) || !slices.Contains(slow, 6) || len(slow) == 6 {
		t.Error(slow)
	}
}

func TestCPUIsBurnt(t *testing.T) {
	got := fastestRefused(t, routerWith(t, "TAILGATE_FAULTS=cpu_us=700"))
	if got < 700*time.Microsecond || got >= 2*time.Millisecond {
		t.Error(got)
	}
}

func TestStallsHoldRequestsUpAndEnd(t *testing.T) {
	router := routerWith(t, "TAILGATE_FAULTS=stall_every_ms=30,stall_us=12000")
	longest, shortest := time.Duration(0), time.Hour
	for started := time.Now(); time.Since(started) < 100*time.Millisecond; {
		took := refused(t, router)
		longest, shortest = max(longest, took), min(shortest, took)
	}
	if longest < 10*time.Millisecond || shortest >= time.Millisecond {
		t.Errorf("from %v to %v", shortest, longest)
	}
}

func TestEveryNthRequestFails(t *testing.T) {
	router := routerWith(t, "TAILGATE_FAULTS=error_one_in=2")
	var statuses []int
	for range 4 {
		status, _ := ask(router, "GET", "/process")
		statuses = append(statuses, status)
	}
	if !slices.Equal(statuses, []int{422, 500, 422, 500}) {
		t.Error(statuses)
	}
}

func TestOnlyTheNamedRouteIsWorse(t *testing.T) {
	router := routerWith(t, "TAILGATE_FAULTS=route=/echo,error_one_in=1")
	if status, _ := ask(router, "POST", "/echo"); status != 500 {
		t.Errorf("status %d", status)
	}
	refused(t, router)
}

func TestTheOperatorsRoutesAndUnmatchedRequestsAreSpared(t *testing.T) {
	router := routerWith(t, "TAILGATE_FAULTS=error_one_in=1")
	for path, wanted := range map[string]int{"/healthz": 200, "/metrics": 200, "/nowhere": 404, "/echo": 405} {
		if got, _ := ask(router, "GET", path); got != wanted {
			t.Errorf("%s: status %d", path, got)
		}
	}
}
