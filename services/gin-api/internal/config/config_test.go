package config

import (
	"strings"
	"testing"
	"time"
)

func read(name, value string) (Config, error) {
	return Read(func(asked string) string {
		if asked == name {
			return value
		}
		return ""
	})
}

func TestDefaults(t *testing.T) {
	got, err := read("", "")
	wanted := Config{Addr: "127.0.0.1:8080", ShutdownGrace: 5 * time.Second, RequestTimeout: 10 * time.Second}
	if err != nil || got != wanted {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestValuesAreTaken(t *testing.T) {
	cases := []struct {
		name, value string
		taken       func(Config) bool
	}{
		{"ADDR", "127.0.0.1:0", func(c Config) bool { return c.Addr == "127.0.0.1:0" }},
		{"SHUTDOWN_GRACE_MS", "0", func(c Config) bool { return c.ShutdownGrace == 0 }},
		{"REQUEST_TIMEOUT_MS", "1", func(c Config) bool { return c.RequestTimeout == time.Millisecond }},
		{"GOMAXPROCS", "2", func(Config) bool { return true }},
		{"GOGC", "off", func(Config) bool { return true }},
		{"TAILGATE_FAULTS", "latency_us=1", func(c Config) bool { return c.Faults.Spec == "latency_us=1" }},
	}
	for _, c := range cases {
		if got, err := read(c.name, c.value); err != nil || !c.taken(got) {
			t.Errorf("%s=%s: got %+v, %v", c.name, c.value, got, err)
		}
	}
}

func TestBadValuesAreRefusedByName(t *testing.T) {
	for _, c := range [][2]string{
		{"ADDR", "localhost"},
		{"ADDR", "127.0.0.1"},
		{"SHUTDOWN_GRACE_MS", "-1"},
		{"SHUTDOWN_GRACE_MS", "+1"},
		{"SHUTDOWN_GRACE_MS", "600001"},
		{"REQUEST_TIMEOUT_MS", "0"},
		{"GOMAXPROCS", "0"},
		{"GOGC", "none"},
		{"TAILGATE_FAULTS", "nonsense=1"},
	} {
		_, err := read(c[0], c[1])
		if err == nil || !strings.HasPrefix(err.Error(), c[0]) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s=%s: %v", c[0], c[1], err)
		}
	}
}
