package main

import (
	"errors"
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
	var stallEveryMS, stallMS uint64
	for _, number := range []struct {
		name  string
		most  uint64
		value *uint64
	}{
		{"FAIL_ONE_IN", maxEvery, &cfg.failOneIn},
		{"DROP_ONE_IN", maxEvery, &cfg.dropOneIn},
		{"STALL_EVERY_MS", maxMS, &stallEveryMS},
		{"STALL_MS", maxMS, &stallMS},
	} {
		text := getenv(number.name)
		if text == "" {
			continue
		}
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil || n < 1 || n > number.most {
			return cfg, fmt.Errorf("%s must be a whole number from 1 to %d, got %q", number.name, number.most, text)
		}
		*number.value = n
	}
	cfg.stallEvery = time.Duration(stallEveryMS) * time.Millisecond
	cfg.stall = time.Duration(stallMS) * time.Millisecond
	if (cfg.stall == 0) != (cfg.stallEvery == 0) {
		return cfg, errors.New("STALL_EVERY_MS and STALL_MS must be given together")
	}
	if cfg.stall > 0 && cfg.stall >= cfg.stallEvery {
		return cfg, errors.New("STALL_MS must be shorter than STALL_EVERY_MS")
	}
	return cfg, nil
}
