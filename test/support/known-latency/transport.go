package main

import (
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"
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
}

// serveOver listens twice: for the load, and for /begin and /floor by plain HTTP.
func serveOver(s settings, over transport) error {
	srv := &sleeper{schedule: schedule{settings: s}}
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

func (s *sleeper) answer(w http.ResponseWriter, _ *http.Request) {
	arrived := now()
	s.mutex.Lock()
	due := s.dueAt(arrived)
	s.mutex.Unlock()
	time.Sleep(time.Duration(due - now()))
	_, _ = w.Write([]byte("ok"))
	late := now() - due
	s.mutex.Lock()
	s.late = append(s.late, late)
	s.mutex.Unlock()
}

func (s *sleeper) control(w http.ResponseWriter, r *http.Request) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	switch r.URL.Path {
	case "/begin":
		s.begin()
		s.late = s.late[:0]
	case "/floor":
		_, _ = w.Write([]byte(floorOf(s.late)))
	}
}
