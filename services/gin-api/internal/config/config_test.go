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
	wanted := Config{
		Addr:            "127.0.0.1:8080",
		ShutdownGrace:   5 * time.Second,
		RequestTimeout:  10 * time.Second,
		DatabaseTimeout: time.Second,
		RedisTimeout:    250 * time.Millisecond,
		CacheTTL:        time.Minute,
		UpstreamTimeout: 500 * time.Millisecond,
	}
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
		{"DATABASE_URL", "postgresql://u@h:5433/d", func(c Config) bool {
			return c.Database.ConnConfig.Host == "h" && c.Database.ConnConfig.Port == 5433 &&
				c.Database.ConnConfig.Database == "d" && c.Database.MinConns == 8 && c.Database.MaxConns == 8 &&
				c.Database.ConnConfig.ConnectTimeout == time.Second &&
				c.Database.ConnConfig.TLSConfig == nil && len(c.Database.ConnConfig.Fallbacks) == 0
		}},
		{"DATABASE_POOL", "1000", func(Config) bool { return true }},
		{"DATABASE_TIMEOUT_MS", "1", func(c Config) bool { return c.DatabaseTimeout == time.Millisecond }},
		{"REDIS_URL", "redis://h:6380/3", func(c Config) bool { return c.Redis.Addr == "h:6380" && c.Redis.DB == 3 }},
		{"REDIS_TIMEOUT_MS", "600000", func(c Config) bool { return c.RedisTimeout == 10*time.Minute }},
		{"CACHE_TTL_S", "86400", func(c Config) bool { return c.CacheTTL == 24*time.Hour }},
		{"UPSTREAM_URL", "http://[::1]:81", func(c Config) bool { return c.Upstream == "http://[::1]:81" }},
		{"UPSTREAM_TIMEOUT_MS", "7", func(c Config) bool { return c.UpstreamTimeout == 7*time.Millisecond }},
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
		{"DATABASE_URL", "host=h"},
		{"DATABASE_URL", "mysql://u@h/d"},
		{"DATABASE_URL", "postgresql://u@h:port/d"},
		{"DATABASE_URL", "postgresql:///d"},
		{"DATABASE_URL", "postgresql://u@h/d?sslmode=perhaps"},
		{"DATABASE_POOL", "0"},
		{"DATABASE_POOL", "1001"},
		{"DATABASE_TIMEOUT_MS", "0"},
		{"REDIS_URL", "h:6379"},
		{"REDIS_URL", "redis://h:6379/first"},
		{"REDIS_URL", "rediss://h:6379"},
		{"REDIS_URL", "unix:///h"},
		{"REDIS_TIMEOUT_MS", "0"},
		{"CACHE_TTL_S", "0"},
		{"CACHE_TTL_S", "86401"},
		{"UPSTREAM_URL", "h:80"},
		{"UPSTREAM_URL", "https://h:80"},
		{"UPSTREAM_URL", "http://"},
		{"UPSTREAM_URL", "http://:80"},
		{"UPSTREAM_URL", "http://u@h:80"},
		{"UPSTREAM_URL", "http://h:80/path"},
		{"UPSTREAM_URL", "http://h:80?"},
		{"UPSTREAM_TIMEOUT_MS", "600001"},
		{"TAILGATE_FAULTS", "nonsense=1"},
	} {
		_, err := read(c[0], c[1])
		if err == nil || !strings.HasPrefix(err.Error(), c[0]) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s=%s: %v", c[0], c[1], err)
		}
	}
}
