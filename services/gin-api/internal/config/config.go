// Package config reads the environment once at start. A bad value is refused in one line; nothing is guessed.
package config

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/redis/go-redis/v9"

	"github.com/tailgate/tailgate/services/gin-api/internal/fault"
)

const defaultAddr = "127.0.0.1:8080"

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

	// Database is nil when there is none.
	Database *pgxpool.Config
	// DatabaseTimeout bounds what one request does with the database, waiting for a connection included.
	DatabaseTimeout time.Duration

	// Redis is nil when there is none.
	Redis *redis.Options
	// RedisTimeout bounds one use of Redis.
	RedisTimeout time.Duration
	// CacheTTL is how long a user stays in Redis.
	CacheTTL time.Duration

	// Upstream is its scheme, host and port; empty when there is none.
	Upstream string
	// UpstreamTimeout bounds one call of the upstream.
	UpstreamTimeout time.Duration
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

	for _, d := range []struct {
		name               string
		least, most, unset uint64
		unit               time.Duration
		value              *time.Duration
	}{
		{"SHUTDOWN_GRACE_MS", 0, 600_000, 5_000, time.Millisecond, &cfg.ShutdownGrace},
		{"REQUEST_TIMEOUT_MS", 1, 600_000, 10_000, time.Millisecond, &cfg.RequestTimeout},
		{"DATABASE_TIMEOUT_MS", 1, 600_000, 1000, time.Millisecond, &cfg.DatabaseTimeout},
		{"REDIS_TIMEOUT_MS", 1, 600_000, 250, time.Millisecond, &cfg.RedisTimeout},
		{"CACHE_TTL_S", 1, 86_400, 60, time.Second, &cfg.CacheTTL},
		{"UPSTREAM_TIMEOUT_MS", 1, 600_000, 500, time.Millisecond, &cfg.UpstreamTimeout},
	} {
		n, err := number(get, d.name, d.least, d.most, d.unset)
		if err != nil {
			return Config{}, err
		}
		*d.value = time.Duration(n) * d.unit
	}
	if err := cfg.readServers(get); err != nil {
		return Config{}, err
	}

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

// readServers says nothing of a bad URL's text, which may hold a password.
func (cfg *Config) readServers(get func(string) string) error {
	pool, err := number(get, "DATABASE_POOL", 1, 1000, 8)
	if err != nil {
		return err
	}
	if text := get("DATABASE_URL"); text != "" {
		// pgx also takes lists of keywords and values, which the other service does not.
		if u, err := url.Parse(text); err != nil || (u.Scheme != "postgresql" && u.Scheme != "postgres") || u.Host == "" {
			return errBadDatabaseURL
		}
		if cfg.Database, err = pgxpool.ParseConfig(text); err != nil {
			return errBadDatabaseURL
		}
		cfg.Database.MaxConns = int32(pool)
		cfg.Database.MinConns = int32(pool)
		// Never by TLS, as the other service: pgx would ask each server for it, and connect anew where it refuses.
		cfg.Database.ConnConfig.TLSConfig = nil
		cfg.Database.ConnConfig.Fallbacks = nil
		// An attempt to connect goes on after the request that asked for it.
		cfg.Database.ConnConfig.ConnectTimeout = cfg.DatabaseTimeout
	}
	if text := get("REDIS_URL"); text != "" {
		// The client also takes sockets and TLS, which the other service does not.
		if cfg.Redis, err = redis.ParseURL(text); err != nil || !strings.HasPrefix(text, "redis://") {
			return errors.New("REDIS_URL must be a URL such as redis://host:port/number")
		}
	}
	if text := get("UPSTREAM_URL"); text != "" {
		u, err := url.Parse(text)
		if err != nil || u.Scheme != "http" || u.Hostname() == "" || text != "http://"+u.Host {
			return errors.New("UPSTREAM_URL must be a URL such as http://host:port, without a path")
		}
		cfg.Upstream = text
	}
	return nil
}

var errBadDatabaseURL = errors.New("DATABASE_URL must be a URL such as postgresql://user@host:port/database")

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
