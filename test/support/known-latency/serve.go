package main

import (
	"bytes"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"syscall"
	"time"
	"unsafe"
)

const (
	sysEpollPwait2   = 441
	prSetTimerSlack  = 29
	endOfRequest     = "\r\n\r\n"
	maxConnections   = 4096
	maxRequestLength = 8192
	// A sleeping thread is woken this much late at worst on a quiet machine.
	pollAhead = 150 * time.Microsecond
)

var answer = []byte("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")

type server struct {
	schedule
	epoll, listener int
	connections     map[int]*connection
	late            []int64 // of each answer, nanoseconds
}

type connection struct {
	fd      int
	open    bool
	partial []byte // of a request that has not come whole
}

func serve(s settings) error {
	runtime.LockOSThread()
	// A collection would be a stall that is in no table.
	debug.SetGCPercent(-1)
	if _, _, errno := syscall.RawSyscall(syscall.SYS_PRCTL, prSetTimerSlack, 1, 0); errno != 0 {
		return fmt.Errorf("prctl: %w", errno)
	}
	srv := &server{
		schedule:    newSchedule(s),
		connections: map[int]*connection{},
		late:        make([]int64, 0, 1<<20),
	}
	if err := srv.listen(); err != nil {
		return err
	}
	return srv.loop()
}

func (s *server) listen() error {
	var err error
	if s.epoll, err = syscall.EpollCreate1(0); err != nil {
		return err
	}
	if s.listener, err = syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_NONBLOCK, 0); err != nil {
		return err
	}
	if err := syscall.Bind(s.listener, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		return err
	}
	if err := syscall.Listen(s.listener, maxConnections); err != nil {
		return err
	}
	name, err := syscall.Getsockname(s.listener)
	if err != nil {
		return err
	}
	fmt.Printf("listening %d\n", name.(*syscall.SockaddrInet4).Port)
	return s.watch(s.listener)
}

func (s *server) watch(fd int) error {
	event := syscall.EpollEvent{Events: syscall.EPOLLIN, Fd: int32(fd)}
	return syscall.EpollCtl(s.epoll, syscall.EPOLL_CTL_ADD, fd, &event)
}

func (s *server) loop() error {
	events := make([]syscall.EpollEvent, 256)
	for {
		wait := max(0, s.untilNext(now())-pollAhead)
		timeout := syscall.NsecToTimespec(int64(wait))
		n, _, errno := syscall.RawSyscall6(sysEpollPwait2, uintptr(s.epoll), uintptr(unsafe.Pointer(&events[0])),
			uintptr(len(events)), uintptr(unsafe.Pointer(&timeout)), 0, 0)
		if errno != 0 && errno != syscall.EINTR {
			return fmt.Errorf("epoll_pwait2: %w", errno)
		}
		if errno == 0 && n > 0 {
			// All that are ready arrived by now, however long the first of them takes.
			arrived := now()
			for _, event := range events[:n] {
				s.ready(int(event.Fd), arrived)
			}
		}
		for s.untilNext(now()) <= 0 {
			due := s.pop()
			if !due.to.open {
				continue
			}
			if _, err := syscall.Write(due.to.fd, answer); err != nil {
				s.drop(due.to)
				continue
			}
			s.late = append(s.late, now()-due.at)
		}
	}
}

func (s *server) ready(fd int, arrived int64) {
	if fd == s.listener {
		s.accept()
		return
	}
	c, open := s.connections[fd]
	if !open {
		return
	}
	var buffer [maxRequestLength]byte
	n, err := syscall.Read(fd, buffer[:])
	if err == syscall.EAGAIN {
		return
	}
	if n <= 0 || len(c.partial)+n > maxRequestLength {
		s.drop(c)
		return
	}
	c.partial = append(c.partial, buffer[:n]...)
	if !bytes.HasSuffix(c.partial, []byte(endOfRequest)) {
		return
	}
	request := c.partial
	c.partial = c.partial[:0]
	switch {
	case bytes.HasPrefix(request, []byte("GET /begin ")):
		s.begin()
		s.late = s.late[:0]
		runtime.GC()
		_, _ = syscall.Write(fd, answer)
	case bytes.HasPrefix(request, []byte("GET /floor ")):
		body := floorOf(s.late)
		_, _ = syscall.Write(fd, fmt.Appendf(nil, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(body), body))
	default:
		s.add(c, pathOf(request), arrived)
	}
}

func pathOf(request []byte) string {
	_, rest, _ := bytes.Cut(request, []byte(" "))
	path, _, _ := bytes.Cut(rest, []byte(" "))
	return string(path)
}

func (s *server) accept() {
	for {
		fd, _, err := syscall.Accept4(s.listener, syscall.SOCK_NONBLOCK)
		if err != nil {
			return
		}
		c := &connection{fd: fd, open: true}
		s.connections[fd] = c
		_ = syscall.SetsockoptInt(fd, syscall.IPPROTO_TCP, syscall.TCP_NODELAY, 1)
		if err := s.watch(fd); err != nil {
			s.drop(c)
		}
	}
}

func (s *server) drop(c *connection) {
	c.open = false
	delete(s.connections, c.fd)
	_ = syscall.Close(c.fd)
}

// floorOf gives quantiles of the lateness in microseconds, as JSON.
func floorOf(late []int64) string {
	if len(late) == 0 {
		return `{"answers":0}`
	}
	sorted := slices.Sorted(slices.Values(late))
	at := func(p float64) float64 {
		return float64(sorted[min(len(sorted)-1, int(p*float64(len(sorted))))]) / 1000
	}
	return fmt.Sprintf(`{"answers":%d,"p50":%.1f,"p90":%.1f,"p99":%.1f,"p999":%.1f,"max":%.1f}`,
		len(sorted), at(0.5), at(0.9), at(0.99), at(0.999), at(1))
}

var started = time.Now()

// now is never 0.
func now() int64 { return int64(time.Since(started)) + 1 }
