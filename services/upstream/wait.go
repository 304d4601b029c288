package main

import (
	"syscall"
	"time"
)

// coarse is how late a Go timer may be: the poller behind it counts in milliseconds.
const coarse = 2 * time.Millisecond

// waitUntil sleeps: the most part on a Go timer, the end in the kernel, which costs a thread but no processor time.
func waitUntil(due time.Time) {
	if left := time.Until(due); left > coarse {
		time.Sleep(left - coarse)
	}
	for {
		left := time.Until(due)
		if left <= 0 {
			return
		}
		rest := syscall.NsecToTimespec(int64(left))
		// A signal may end it early, hence the loop.
		_ = syscall.Nanosleep(&rest, nil)
	}
}
