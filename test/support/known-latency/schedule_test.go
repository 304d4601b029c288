package main

import (
	"testing"
	"time"
)

func TestWhoComesInAStallWaitsForTheRestOfIt(t *testing.T) {
	const first = int64(77)
	s := schedule{settings: settings{
		held:       [][]time.Duration{{time.Millisecond}},
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
	s := newSchedule(settings{held: [][]time.Duration{{30, 10, 20}}})
	to := make([]*connection, 4)
	for i := range to {
		to[i] = &connection{fd: i}
		s.add(to[i], "/", 100)
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

func TestAPathHasATableOfItsOwn(t *testing.T) {
	s := newSchedule(settings{held: [][]time.Duration{{1, 2}, {10, 20}}})
	asked := []string{"/", "/1", "/1", "/0", "/2", "/1"}
	want := []int64{1, 10, 20, 2, 1, 10}
	for i, path := range asked {
		if got := s.dueAt(path, 100) - 100; got != want[i] {
			t.Errorf("request %d, of %s: held %d, want %d", i, path, got, want[i])
		}
	}
	s.begin()
	if got := s.dueAt("/1", 100) - 100; got != 10 {
		t.Errorf("begun anew: held %d, want 10", got)
	}
}
