package main

import (
	"container/heap"
	"strconv"
	"strings"
	"time"
)

// When each answer is due. Times are nanoseconds of one monotonic clock.
type schedule struct {
	settings
	next    map[int]int // by table
	firstAt int64       // 0: no request since begin
	due     dueHeap
}

type dueAnswer struct {
	at int64
	to *connection
}

func newSchedule(s settings) schedule { return schedule{settings: s, next: map[int]int{}} }

func (s *schedule) begin() {
	s.next = map[int]int{}
	s.firstAt = 0
}

// add takes a request that arrived.
func (s *schedule) add(to *connection, path string, arrived int64) {
	heap.Push(&s.due, dueAnswer{at: s.dueAt(path, arrived), to: to})
}

// dueAt takes the next entry of the path's table.
func (s *schedule) dueAt(path string, arrived int64) int64 {
	if s.firstAt == 0 {
		s.firstAt = arrived
	}
	table := s.tableOf(path)
	held := s.held[table][s.next[table]]
	s.next[table] = (s.next[table] + 1) % len(s.held[table])
	return s.afterStall(arrived) + int64(held)
}

func (s *schedule) tableOf(path string) int {
	table, err := strconv.Atoi(strings.TrimPrefix(path, "/"))
	if err != nil || table < 0 || table >= len(s.held) {
		return 0
	}
	return table
}

func (s *schedule) afterStall(arrived int64) int64 {
	if s.stall == 0 {
		return arrived
	}
	into := (arrived - s.firstAt + int64(s.stallEvery)/2) % int64(s.stallEvery)
	return arrived + max(0, int64(s.stall)-into)
}

// untilNext is how long nothing is due; negative when something is.
func (s *schedule) untilNext(now int64) time.Duration {
	if len(s.due) == 0 {
		return time.Second
	}
	return time.Duration(s.due[0].at - now)
}

func (s *schedule) pop() dueAnswer { return heap.Pop(&s.due).(dueAnswer) }

type dueHeap []dueAnswer

func (h dueHeap) Len() int           { return len(h) }
func (h dueHeap) Less(i, j int) bool { return h[i].at < h[j].at }
func (h dueHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *dueHeap) Push(x any)        { *h = append(*h, x.(dueAnswer)) }
func (h *dueHeap) Pop() any {
	last := len(*h) - 1
	top := (*h)[last]
	*h = (*h)[:last]
	return top
}
