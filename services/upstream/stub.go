package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"
)

// maxIndex keeps 7i + 1 within 53 bits.
const maxIndex = 1_000_000_000_000_000

type stub struct {
	config
	start    time.Time
	requests atomic.Uint64 // the sequence's index, too
	answered atomic.Uint64
	failed   atomic.Uint64
	dropped  atomic.Uint64
	asked    [len(boundsUS) + 1]atomic.Uint64
}

// boundsUS are the upper ends, inclusive, of all classes of the histogram but the last.
var boundsUS = [...]int64{
	0, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000, 200_000, 500_000, 1_000_000,
}

func newStub(cfg config) *stub {
	return &stub{config: cfg, start: time.Now()}
}

func (s *stub) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, http.StatusOK, `{"status":"ok"}`)
	})
	mux.HandleFunc("GET /value/{i}", s.value)
	mux.HandleFunc("GET /counters", s.counters)
	return mux
}

func (s *stub) value(w http.ResponseWriter, r *http.Request) {
	arrived := time.Now()
	i, err := strconv.ParseUint(r.PathValue("i"), 10, 64)
	if err != nil || i > maxIndex {
		answer(w, http.StatusNotFound, `{"error":"i must be a whole number from 0 to 1000000000000000"}`)
		return
	}
	n := s.requests.Add(1)
	latency := s.latency(vanDerCorput(n - 1))
	s.asked[class(latency)].Add(1)
	waitUntil(s.afterStall(arrived.Add(latency)))
	switch {
	case s.dropOneIn > 0 && n%s.dropOneIn == 0:
		s.dropped.Add(1)
		panic(http.ErrAbortHandler)
	case s.failOneIn > 0 && n%s.failOneIn == 0:
		s.failed.Add(1)
		answer(w, http.StatusServiceUnavailable, `{"error":"planned"}`)
	default:
		s.answered.Add(1)
		answer(w, http.StatusOK, fmt.Sprintf(`{"value":%d}`, 7*i+1))
	}
}

// afterStall is when an answer may go out that is due then: each period ends with a stall, and nothing is answered in it.
func (s *stub) afterStall(due time.Time) time.Time {
	if s.stall == 0 {
		return due
	}
	untilPeriod := s.stallEvery - due.Sub(s.start)%s.stallEvery
	if untilPeriod > s.stall {
		return due
	}
	return due.Add(untilPeriod)
}

// class is the index of the histogram's class that d belongs to.
func class(d time.Duration) int {
	for i, bound := range boundsUS {
		if d <= time.Duration(bound)*time.Microsecond {
			return i
		}
	}
	return len(boundsUS)
}

type askedClass struct {
	UpToUS *int64 `json:"up_to_us"` // null in the last
	Count  uint64 `json:"count"`
}

type counters struct {
	Requests uint64       `json:"requests"`
	Answered uint64       `json:"answered"`
	Failed   uint64       `json:"failed"`
	Dropped  uint64       `json:"dropped"`
	InFlight uint64       `json:"in_flight"`
	Asked    []askedClass `json:"asked"`
}

func (s *stub) counters(w http.ResponseWriter, _ *http.Request) {
	// What has ended is read first, so that in_flight cannot fall below 0.
	c := counters{Answered: s.answered.Load(), Failed: s.failed.Load(), Dropped: s.dropped.Load()}
	c.Requests = s.requests.Load()
	c.InFlight = c.Requests - c.Answered - c.Failed - c.Dropped
	for i := range s.asked {
		part := askedClass{Count: s.asked[i].Load()}
		if i < len(boundsUS) {
			part.UpToUS = &boundsUS[i]
		}
		c.Asked = append(c.Asked, part)
	}
	body, err := json.Marshal(c)
	if err != nil {
		panic(err)
	}
	answer(w, http.StatusOK, string(body))
}

func answer(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(body))
}
