// Command upstream is what /fanout calls: a stub that answers with a planned distribution of latencies and planned
// failures. It exits with 0 when stopped as asked, 1 when it could not start, 2 when the environment is bad.
package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// grace bounds how long a stop waits for answers that are due.
const grace = 2 * time.Second

func main() {
	cfg, err := readConfig(os.Getenv)
	if err != nil {
		fmt.Fprintln(os.Stderr, "upstream:", err)
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	if err := run(ctx, cfg, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "upstream:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, cfg config, stdout io.Writer) error {
	listener, err := net.Listen("tcp", cfg.addr)
	if err != nil {
		return fmt.Errorf("cannot listen on %s: %w", cfg.addr, err)
	}
	if _, err := fmt.Fprintf(stdout, "listening on http://%s\n", listener.Addr()); err != nil {
		return fmt.Errorf("cannot say where it listens: %w", err)
	}

	srv := &http.Server{Handler: newStub(cfg).routes()}
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(listener) }()
	select {
	case err := <-failed:
		return fmt.Errorf("cannot serve: %w", err)
	case <-ctx.Done():
	}
	due, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	if err := srv.Shutdown(due); err != nil {
		fmt.Fprintln(os.Stderr, "upstream: requests were still open and were cut off")
		_ = srv.Close()
	}
	return nil
}
