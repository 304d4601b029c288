package main

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"runtime"
	"runtime/debug"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

type transport struct {
	protocol          string
	socket, cert, key string // empty: a port, no TLS
}

// sleeper answers by the schedule of the polling server, in a goroutine for each request.
type sleeper struct {
	mutex sync.Mutex
	schedule
	late []int64
	idle sync.Pool // of *timer
}

// serveOver listens twice: for the load, and for /begin and /floor by plain HTTP.
func serveOver(s settings, over transport) error {
	// A collection would be a stall that is in no table.
	debug.SetGCPercent(-1)
	srv := &sleeper{schedule: newSchedule(s)}
	control, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	network, address := "tcp", "127.0.0.1:0"
	if over.socket != "" {
		network, address = "unix", over.socket
	}
	listener, err := net.Listen(network, address)
	if err != nil {
		return err
	}
	port := 1
	if tcp, ok := listener.Addr().(*net.TCPAddr); ok {
		port = tcp.Port
	}
	go func() { _ = http.Serve(control, http.HandlerFunc(srv.control)) }()
	fmt.Printf("listening %d %d\n", control.Addr().(*net.TCPAddr).Port, port)

	protocols := new(http.Protocols)
	switch over.protocol {
	case "http1":
		protocols.SetHTTP1(true)
	case "h2c":
		protocols.SetUnencryptedHTTP2(true)
	case "h2":
		protocols.SetHTTP2(true)
	default:
		return fmt.Errorf("-over %s: want http1, h2c or h2", over.protocol)
	}
	load := &http.Server{Handler: http.HandlerFunc(srv.answer), Protocols: protocols}
	if over.cert != "" {
		return load.ServeTLS(listener, over.cert, over.key)
	}
	return load.Serve(listener)
}

func (s *sleeper) answer(w http.ResponseWriter, r *http.Request) {
	arrived := now()
	s.mutex.Lock()
	due := s.dueAt(r.URL.Path, arrived)
	s.mutex.Unlock()
	s.sleepUntil(due)
	_, _ = w.Write([]byte("ok"))
	late := now() - due
	s.mutex.Lock()
	s.late = append(s.late, late)
	s.mutex.Unlock()
}

// timer is one of the kernel's: Go's own wake up a millisecond late.
type timer struct {
	fd   int
	file *os.File
}

func newTimer() (*timer, error) {
	fd, _, errno := syscall.RawSyscall(syscall.SYS_TIMERFD_CREATE, clockMonotonic, syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
	if errno != 0 {
		return nil, fmt.Errorf("timerfd_create: %w", errno)
	}
	// Not blocking, so that a read of it waits in Go's poller.
	return &timer{fd: int(fd), file: os.NewFile(fd, "timer")}, nil
}

func (t *timer) sleep(duration time.Duration) error {
	setting := struct{ interval, value syscall.Timespec }{value: syscall.NsecToTimespec(int64(duration))}
	if _, _, errno := syscall.RawSyscall6(syscall.SYS_TIMERFD_SETTIME, uintptr(t.fd), 0,
		uintptr(unsafe.Pointer(&setting)), 0, 0, 0); errno != 0 {
		return fmt.Errorf("timerfd_settime: %w", errno)
	}
	var expirations [8]byte
	_, err := t.file.Read(expirations[:])
	return err
}

const clockMonotonic = 1

func (s *sleeper) sleepUntil(due int64) {
	t, ok := s.idle.Get().(*timer)
	var err error
	if !ok {
		t, err = newTimer()
	}
	// A timer that is set to 0 never ends.
	if left := time.Duration(due - now()); err == nil && left > 0 {
		err = t.sleep(left)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "known-latency:", err)
		os.Exit(1)
	}
	s.idle.Put(t)
}

func (s *sleeper) control(w http.ResponseWriter, r *http.Request) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	switch r.URL.Path {
	case "/begin":
		s.begin()
		s.late = s.late[:0]
		runtime.GC()
	case "/floor":
		_, _ = w.Write([]byte(floorOf(s.late)))
	}
}
