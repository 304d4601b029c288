package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

func configOf(t *testing.T, env map[string]string) config {
	t.Helper()
	cfg, err := readConfig(func(name string) string { return env[name] })
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

func TestQuantiles(t *testing.T) {
	ms := time.Millisecond
	for _, c := range []struct {
		text   string
		u      float64
		wanted time.Duration
	}{
		{"", 0.5, 0},
		{"constant:2ms", 0.001, 2 * ms},
		{"constant:2ms", 0.999, 2 * ms},
		{"uniform:1ms:3ms", 0.25, 1500 * time.Microsecond},
		{"uniform:1ms:1ms", 0.9, ms},
		{"exponential:2ms", 1 - 1/math.E, 2 * ms},
		{"exponential:2ms", 0.5, time.Duration(math.Round(2e6 * math.Ln2))},
		{"exponential:2ms", 0.99, time.Duration(math.Round(2e6 * math.Log(100)))},
		{"twomodes:1ms:20ms:0.01", 0.9899, ms},
		{"twomodes:1ms:20ms:0.01", 0.9901, 20 * ms},
		{"twomodes:1ms:20ms:0", 0.9999, ms},
		{"twomodes:1ms:20ms:1", 0.0001, 20 * ms},
		{"lognormal:2ms:0.5", 0.5, 2 * ms},
		{"lognormal:2ms:0", 0.9, 2 * ms},
		// The normal distribution's 0.8413447460685429 and 0.0013498980316300933 lie at 1 and -3.
		{"lognormal:2ms:0.5", 0.8413447460685429, time.Duration(math.Round(2e6 * math.Exp(0.5)))},
		{"lognormal:2ms:0.5", 0.0013498980316300933, time.Duration(math.Round(2e6 * math.Exp(-1.5)))},
		{"exponential:60s", 0.999, maxLatency},
	} {
		q, err := parseLatency(c.text)
		if err != nil {
			t.Fatal(err)
		}
		if got := q(c.u); (got - c.wanted).Abs() > 1 {
			t.Errorf("%q at %v: %v, not %v", c.text, c.u, got, c.wanted)
		}
	}
}

func TestVanDerCorput(t *testing.T) {
	for n, wanted := range []float64{0, 1. / 2, 1. / 4, 3. / 4, 1. / 8, 5. / 8, 3. / 8, 7. / 8, 1. / 16} {
		if got := vanDerCorput(uint64(n)); math.Abs(got-wanted) > 1e-15 {
			t.Errorf("point %d: %v, not %v", n, got, wanted)
		}
	}
	if last := vanDerCorput(math.MaxUint64); last >= 1 || vanDerCorput(0) <= 0 {
		t.Errorf("not inside the unit interval: %v, %v", vanDerCorput(0), last)
	}
}

func TestEveryRunHasThePlannedShare(t *testing.T) {
	for _, first := range []uint64{0, 1, 777, 123_456_789} {
		for _, run := range []int{100, 1000, 4096} {
			slow := 0
			for n := range run {
				if vanDerCorput(first+uint64(n)) >= 0.99 {
					slow++
				}
			}
			if miss := math.Abs(float64(slow) - 0.01*float64(run)); miss > math.Log2(float64(run))+2 {
				t.Errorf("%d of %d from %d are slow", slow, run, first)
			}
		}
	}
}

func TestBadEnvironment(t *testing.T) {
	for _, c := range [][2]string{
		{"LATENCY", "2ms"},
		{"LATENCY", "constant"},
		{"LATENCY", "constant:2"},
		{"LATENCY", "constant:-2ms"},
		{"LATENCY", "constant:61s"},
		{"LATENCY", "constant:1ms:2ms"},
		{"LATENCY", "uniform:1ms"},
		{"LATENCY", "uniform:3ms:1ms"},
		{"LATENCY", "twomodes:1ms:2ms:1.1"},
		{"LATENCY", "twomodes:1ms:2ms:NaN"},
		{"LATENCY", "lognormal:1ms:x"},
		{"LATENCY", "pareto:1ms"},
		{"FAIL_ONE_IN", "0"},
		{"DROP_ONE_IN", "-1"},
		{"DROP_ONE_IN", "1.5"},
		{"STALL_MS", "10"},
		{"STALL_EVERY_MS", "10"},
	} {
		_, err := readConfig(func(name string) string { return map[string]string{c[0]: c[1]}[name] })
		if err == nil || !strings.Contains(err.Error(), c[0]) {
			t.Errorf("%s=%s: %v", c[0], c[1], err)
		}
	}
	both := map[string]string{"STALL_MS": "10", "STALL_EVERY_MS": "10"}
	if _, err := readConfig(func(name string) string { return both[name] }); err == nil {
		t.Error("a stall without end is taken")
	}
}

func get(t *testing.T, url string) (int, string) {
	t.Helper()
	response, err := http.Get(url)
	if err != nil {
		return 0, ""
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Error(err)
	}
	return response.StatusCode, string(body)
}

func TestAnswers(t *testing.T) {
	server := httptest.NewServer(newStub(configOf(t, nil)).routes())
	defer server.Close()
	for _, c := range []struct {
		path   string
		status int
		body   string
	}{
		{"/healthz", 200, `{"status":"ok"}`},
		{"/value/0", 200, `{"value":1}`},
		{"/value/6", 200, `{"value":43}`},
		{"/value/1000000000000000", 200, `{"value":7000000000000001}`},
		{"/value/1000000000000001", 404, `{"error":"i must be a whole number from 0 to 1000000000000000"}`},
		{"/value/-1", 404, `{"error":"i must be a whole number from 0 to 1000000000000000"}`},
	} {
		if status, body := get(t, server.URL+c.path); status != c.status || body != c.body {
			t.Errorf("%s: %d %s", c.path, status, body)
		}
	}
}

func TestPlannedFailuresAreCounted(t *testing.T) {
	env := map[string]string{"FAIL_ONE_IN": "4", "DROP_ONE_IN": "10", "LATENCY": "twomodes:0ms:1ms:0.25"}
	server := httptest.NewServer(newStub(configOf(t, env)).routes())
	server.Config.ErrorLog = nil
	defer server.Close()
	var all sync.WaitGroup
	for i := range 40 {
		all.Go(func() { get(t, fmt.Sprintf("%s/value/%d", server.URL, i)) })
	}
	all.Wait()
	_, body := get(t, server.URL+"/counters")
	var got counters
	if err := json.Unmarshal([]byte(body), &got); err != nil {
		t.Fatal(err)
	}
	// The client repeats a GET whose kept connection was dropped, so there may be a few more requests than 40.
	n := got.Requests
	dropped, failed := n/10, n/4-n/20
	if n < 40 || got.Dropped != dropped || got.Failed != failed || got.Answered != n-dropped-failed || got.InFlight != 0 {
		t.Errorf("%s", body)
	}
	if slow := got.Asked[class(time.Millisecond)].Count; got.Asked[0].Count+slow != n || slow < n/4-2 || slow > n/4+2 {
		t.Errorf("%s", body)
	}
}

func TestStalls(t *testing.T) {
	ms := time.Millisecond
	s := newStub(configOf(t, map[string]string{"STALL_EVERY_MS": "100", "STALL_MS": "20"}))
	for _, c := range [][2]time.Duration{{0, 0}, {79 * ms, 79 * ms}, {80 * ms, 100 * ms}, {99 * ms, 100 * ms}, {100 * ms, 100 * ms}, {285 * ms, 300 * ms}} {
		if got := s.afterStall(s.start.Add(c[0])).Sub(s.start); got != c[1] {
			t.Errorf("due at %v: answered at %v, not %v", c[0], got, c[1])
		}
	}
}

func TestNoWaitIsTooShort(t *testing.T) {
	for _, wait := range []time.Duration{0, 50 * time.Microsecond, time.Millisecond, 5 * time.Millisecond} {
		start := time.Now()
		waitUntil(start.Add(wait))
		if took := time.Since(start); took < wait {
			t.Errorf("%v instead of %v", took, wait)
		}
	}
}

func TestAStopLetsRequestsEnd(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stdout, written := io.Pipe()
	ended := make(chan error, 1)
	cfg := configOf(t, map[string]string{"ADDR": "127.0.0.1:0", "LATENCY": "constant:300ms"})
	go func() { ended <- run(ctx, cfg, written) }()
	var origin string
	if _, err := fmt.Fscanf(stdout, "listening on %s\n", &origin); err != nil {
		t.Fatal(err)
	}
	answered := make(chan string, 1)
	go func() {
		_, body := get(t, origin+"/value/1")
		answered <- body
	}()
	time.Sleep(100 * time.Millisecond)
	stop()
	if body := <-answered; body != `{"value":8}` {
		t.Errorf("answered %q", body)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if status, _ := get(t, origin+"/healthz"); status != 0 {
		t.Error("still there after the stop")
	}
}

func TestATakenPortIsAnError(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	addr := strings.TrimPrefix(server.URL, "http://")
	if err := run(t.Context(), config{addr: addr}, io.Discard); err == nil {
		t.Error("no error")
	}
}
