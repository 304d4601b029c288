// Command gin-api is the reference service on gin: configuration, listener, signals and exit codes.
// It exits with 0 when stopped as asked, 1 when it could not start, 2 when the environment is bad.
package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/tailgate/tailgate/services/gin-api/internal/config"
	"github.com/tailgate/tailgate/services/gin-api/internal/server"
)

const badEnvironment = 2

// idleTimeout bounds how long a keep-alive connection may be without a request.
const idleTimeout = 120 * time.Second

func main() {
	cfg, err := config.Read(os.Getenv)
	if err != nil {
		fmt.Fprintln(os.Stderr, "gin-api:", err)
		os.Exit(badEnvironment)
	}
	if err := run(cfg); err != nil {
		fmt.Fprintln(os.Stderr, "gin-api:", err)
		os.Exit(1)
	}
}

func run(cfg config.Config) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()

	if cfg.Faults != nil {
		fmt.Fprintln(os.Stderr, "FAULTS ACTIVE:", cfg.Faults.Spec)
		select {
		case <-time.After(cfg.Faults.StartDelay()):
		case <-ctx.Done():
			return nil
		}
	}

	router, err := server.New(cfg)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", cfg.Addr)
	if err != nil {
		return fmt.Errorf("cannot listen on %s: %w", cfg.Addr, cause(err))
	}
	fmt.Printf("listening on http://%s\n", listener.Addr())

	var silent silentConns
	srv := &http.Server{
		Handler:           router,
		ReadHeaderTimeout: cfg.RequestTimeout,
		ReadTimeout:       cfg.RequestTimeout,
		IdleTimeout:       idleTimeout,
		ConnState:         silent.track,
	}
	srv.RegisterOnShutdown(silent.close)
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(listener) }()
	select {
	case err := <-failed:
		return fmt.Errorf("cannot serve: %w", err)
	case <-ctx.Done():
	}

	// The pools are left to the end of the process: to close them would be to wait for servers that may be down.
	grace, cancel := context.WithTimeout(context.Background(), cfg.ShutdownGrace)
	defer cancel()
	if err := srv.Shutdown(grace); err != nil {
		fmt.Fprintln(os.Stderr, "gin-api: requests were still open after SHUTDOWN_GRACE_MS and were cut off")
	}
	return nil
}

// silentConns are the connections on which no request has begun. Shutdown would give each of them 5 s to begin one.
type silentConns struct{ conns sync.Map }

func (s *silentConns) track(conn net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		s.conns.Store(conn, nil)
	case http.StateIdle:
		// It was active before.
	default:
		s.conns.Delete(conn)
	}
}

func (s *silentConns) close() {
	s.conns.Range(func(conn, _ any) bool {
		conn.(net.Conn).Close()
		return true
	})
}

// cause is the system's own words without the operation and address around them.
func cause(err error) error {
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return errno
	}
	return err
}
