package fault

import (
	"encoding/json"
	"os"
	"slices"
	"testing"
	"time"
)

func parsed(t *testing.T, spec string) Plan {
	t.Helper()
	plan, err := Parse(spec)
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

func TestSpecsOfTheContract(t *testing.T) {
	text, err := os.ReadFile("../../../contract/faults.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Spec  string  `json:"spec"`
		Error *string `json:"error"`
	}
	if err := json.Unmarshal(text, &cases); err != nil || len(cases) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, c := range cases {
		_, err := Parse(c.Spec)
		switch {
		case err == nil && c.Error == nil:
		case err == nil || c.Error == nil || err.Error() != *c.Error:
			t.Errorf("%s: got %v", c.Spec, err)
		}
	}
}

func TestEveryNthIsSlowAndEveryNthFails(t *testing.T) {
	plan := parsed(t, "latency_us=100,slow_one_in=3,slow_us=5000,error_one_in=2")
	var latenciesUs []int64
	var failing []uint64
	for nth := uint64(1); nth <= 6; nth++ {
		latenciesUs = append(latenciesUs, plan.latency(nth).Microseconds())
		if plan.fails(nth) {
			failing = append(failing, nth)
		}
	}
	if !slices.Equal(latenciesUs, []int64{100, 100, 5100, 100, 100, 5100}) {
		t.Error(latenciesUs)
	}
	if !slices.Equal(failing, []uint64{2, 4, 6}) {
		t.Error(failing)
	}
}

func TestStallsBeginAfterEachWholePeriod(t *testing.T) {
	plan := parsed(t, "stall_every_ms=10,stall_us=2000")
	for _, c := range []struct{ atUs, leftUs int64 }{
		{0, 0}, {1_000, 0}, {9_999, 0}, {10_000, 2_000}, {11_500, 500}, {12_000, 0}, {20_001, 1_999},
	} {
		got := plan.stallLeft(time.Duration(c.atUs) * time.Microsecond).Microseconds()
		if got != c.leftUs {
			t.Errorf("at %d: %d left, not %d", c.atUs, got, c.leftUs)
		}
	}
}

func TestCrashesOnTheNthOnlyIfAsked(t *testing.T) {
	asked, never := parsed(t, "crash_after=3"), parsed(t, "latency_us=1")
	if asked.crashes(2) || !asked.crashes(3) || never.crashes(1_000) {
		t.Fail()
	}
}

func TestNPlusOneIsOfTheNamedRoute(t *testing.T) {
	const summary = "/users/{id}/summary"
	for spec, wanted := range map[string]uint64{
		"n_plus_one=3":                             3,
		"n_plus_one=0":                             0,
		"latency_us=1":                             0,
		"n_plus_one=3,route=/users/{id}":           0,
		"n_plus_one=3,route=/users/{id}/summary":   3,
		"n_plus_one=1000000000000,keep_bytes=1000": 1_000_000_000_000,
	} {
		if got := New(parsed(t, spec)).NPlusOne(summary); got != wanted {
			t.Errorf("%s: %d", spec, got)
		}
	}
	if got := (*Faults)(nil).NPlusOne(summary); got != 0 {
		t.Errorf("without faults: %d", got)
	}
}

func TestCoversAllRoutesOrTheOneNamed(t *testing.T) {
	one, all := parsed(t, "route=/echo"), parsed(t, "latency_us=1")
	for route, wanted := range map[string][2]bool{
		"/echo": {true, true}, "/process": {false, true}, "/healthz": {false, false}, "/metrics": {false, false},
	} {
		if got := [2]bool{one.covers(route), all.covers(route)}; got != wanted {
			t.Errorf("%s: %v", route, got)
		}
	}
}

func TestKeptMemoryIsKept(t *testing.T) {
	faults := New(parsed(t, "keep_bytes=1000,keep_bytes_per_request=10"))
	faults.keep(faults.plan.keepBytesPerRequest)
	faults.keep(faults.plan.keepBytesPerRequest)
	kept := slices.Concat(faults.kept...)
	if len(kept) != 1_020 || slices.Contains(kept, 0) {
		t.Errorf("%d bytes", len(kept))
	}
}
