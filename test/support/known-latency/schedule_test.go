package main

import (
	"testing"
	"time"
)

func TestWhoComesInAStallWaitsForTheRestOfIt(t *testing.T) {
	const first = int64(77)
	s := schedule{settings: settings{
		held:       []time.Duration{time.Millisecond},
		stallEvery: 2 * time.Second,
		stall:      200 * time.Millisecond,
	}, firstAt: first}
	cases := map[time.Duration]time.Duration{
		0:                       0,
		999 * time.Millisecond:  0,
		1000 * time.Millisecond: 200 * time.Millisecond,
		1150 * time.Millisecond: 50 * time.Millisecond,
		1200 * time.Millisecond: 0,
		3100 * time.Millisecond: 100 * time.Millisecond,
	}
	for after, wait := range cases {
		arrived := first + int64(after)
		if got := time.Duration(s.afterStall(arrived) - arrived); got != wait {
			t.Errorf("after %v: waits %v, want %v", after, got, wait)
		}
	}
}

func TestTheTableIsUsedInTurnAndAnswersComeWhenDue(t *testing.T) {
	s := schedule{settings: settings{held: []time.Duration{30, 10, 20}}}
	to := make([]*connection, 4)
	for i := range to {
		to[i] = &connection{fd: i}
		s.add(to[i], 100)
	}
	want := []struct {
		at int64
		fd int
	}{{110, 1}, {120, 2}, {130, 0}, {130, 3}}
	seen := map[int]int64{}
	last := int64(0)
	for range want {
		due := s.pop()
		if due.at < last {
			t.Errorf("due %d after %d", due.at, last)
		}
		last = due.at
		seen[due.to.fd] = due.at
	}
	for _, one := range want {
		if seen[one.fd] != one.at {
			t.Errorf("request %d is due at %d, want %d", one.fd, seen[one.fd], one.at)
		}
	}
}
