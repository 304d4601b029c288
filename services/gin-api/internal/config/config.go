// Package config reads the environment once at start. A bad value is refused in one line; nothing is guessed.
package config

import (
	"fmt"
	"net/netip"
	"strconv"
	"time"

	"github.com/tailgate/tailgate/services/gin-api/internal/fault"
)

const (
	defaultAddr             = "127.0.0.1:8080"
	defaultGraceMs          = 5_000
	defaultRequestTimeoutMs = 10_000
)

// Config is what the service can be told.
type Config struct {
	// Addr is an IP address and a port; port 0 lets the system choose.
	Addr string
	// ShutdownGrace is how long requests in flight may take after a stop signal.
	ShutdownGrace time.Duration
	// RequestTimeout is how long a request may take to arrive.
	RequestTimeout time.Duration
	// Faults is nil when none are asked for.
	Faults *fault.Plan
}

// Read looks each variable up with get. An empty value counts as not set.
func Read(get func(string) string) (Config, error) {
	cfg := Config{Addr: defaultAddr}
	if addr := get("ADDR"); addr != "" {
		if _, err := netip.ParseAddrPort(addr); err != nil {
			return Config{}, fmt.Errorf(
				`ADDR must be an IP address and a port such as %s, got "%s"`, defaultAddr, addr)
		}
		cfg.Addr = addr
	}

	graceMs, err := number(get, "SHUTDOWN_GRACE_MS", 0, 600_000, defaultGraceMs)
	if err != nil {
		return Config{}, err
	}
	cfg.ShutdownGrace = time.Duration(graceMs) * time.Millisecond

	timeoutMs, err := number(get, "REQUEST_TIMEOUT_MS", 1, 600_000, defaultRequestTimeoutMs)
	if err != nil {
		return Config{}, err
	}
	cfg.RequestTimeout = time.Duration(timeoutMs) * time.Millisecond

	// The runtime has read these two by now, and where it did not understand them it took its default in silence.
	if _, err := number(get, "GOMAXPROCS", 1, 1024, 1); err != nil {
		return Config{}, err
	}
	if get("GOGC") != "off" {
		if _, err := number(get, "GOGC", 0, 1_000_000, 100); err != nil {
			return Config{}, err
		}
	}

	if spec := get("TAILGATE_FAULTS"); spec != "" {
		plan, err := fault.Parse(spec)
		if err != nil {
			return Config{}, err
		}
		cfg.Faults = &plan
	}
	return cfg, nil
}

func number(get func(string) string, name string, least, most, unset uint64) (uint64, error) {
	value := get(name)
	if value == "" {
		return unset, nil
	}
	n, err := strconv.ParseUint(value, 10, 64)
	if err != nil || n < least || n > most {
		return 0, fmt.Errorf(`%s must be a whole number from %d to %d, got "%s"`, name, least, most, value)
	}
	return n, nil
}
