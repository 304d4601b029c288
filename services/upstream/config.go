package main

import (
	"fmt"
	"strconv"
	"time"
)

const (
	maxEvery = 1_000_000_000
	maxMS    = 600_000
)

type config struct {
	addr       string
	latency    quantile
	failOneIn  uint64 // 0: never
	dropOneIn  uint64 // 0: never
	stallEvery time.Duration
	stall      time.Duration // 0: never; shorter than stallEvery
}

// readConfig refuses what it does not understand. An empty value counts as not set.
func readConfig(getenv func(string) string) (config, error) {
	cfg := config{addr: "127.0.0.1:8081"}
	if addr := getenv("ADDR"); addr != "" {
		cfg.addr = addr
	}
	var err error
	if cfg.latency, err = parseLatency(getenv("LATENCY")); err != nil {
		return cfg, fmt.Errorf("LATENCY: %w", err)
	}
	number := func(name string, most uint64) uint64 {
		text := getenv(name)
		if text == "" || err != nil {
			return 0
		}
		n, bad := strconv.ParseUint(text, 10, 64)
		if bad != nil || n < 1 || n > most {
			err = fmt.Errorf("%s must be a whole number from 1 to %d, got %q", name, most, text)
		}
		return n
	}
	cfg.failOneIn = number("FAIL_ONE_IN", maxEvery)
	cfg.dropOneIn = number("DROP_ONE_IN", maxEvery)
	cfg.stallEvery = time.Duration(number("STALL_EVERY_MS", maxMS)) * time.Millisecond
	cfg.stall = time.Duration(number("STALL_MS", maxMS)) * time.Millisecond
	if err != nil {
		return cfg, err
	}
	if (cfg.stall == 0) != (cfg.stallEvery == 0) {
		return cfg, fmt.Errorf("STALL_EVERY_MS and STALL_MS must be given together")
	}
	if cfg.stall > 0 && cfg.stall >= cfg.stallEvery {
		return cfg, fmt.Errorf("STALL_MS must be shorter than STALL_EVERY_MS")
	}
	return cfg, nil
}
