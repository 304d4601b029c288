// Package cache keeps bodies of answers in Redis.
package cache

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"
	"github.com/redis/go-redis/v9/maintnotifications"
)

// What a use of Redis can fail with.
var (
	ErrUnavailable = errors.New("cache: Redis cannot be reached")
	ErrTimeout     = errors.New("cache: Redis did not answer in time")
)

// Cache is a pool of connections to Redis.
type Cache struct {
	client  *redis.Client // nil when not configured
	timeout time.Duration
	ttl     time.Duration
}

// New connects to nothing yet. Without options, the cache is unavailable.
func New(options *redis.Options, timeout, ttl time.Duration) *Cache {
	if options == nil {
		return &Cache{}
	}
	// It would write a line for each failed connection.
	logging.Disable()
	// Only with all of these does the context bound a use.
	options.ContextTimeoutEnabled = true
	options.MaxRetries = -1
	options.DialerRetries = 1
	options.DialTimeout = timeout
	options.ReadTimeout = timeout
	options.WriteTimeout = timeout
	options.PoolTimeout = timeout
	// Nothing is asked on connecting that the service does not need.
	options.DisableIdentity = true
	options.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	return &Cache{redis.NewClient(options), timeout, ttl}
}

// Ping reports no error where no Redis is configured.
func (c *Cache) Ping(ctx context.Context) error {
	if c.client == nil {
		return nil
	}
	return c.use(ctx, func(ctx context.Context) error {
		return c.client.Ping(ctx).Err()
	})
}

// ReadThrough is what the cache has under the key, or else what read returns, which it keeps.
func (c *Cache) ReadThrough(
	ctx context.Context, key string, read func(context.Context) ([]byte, error),
) ([]byte, error) {
	var value []byte
	err := c.use(ctx, func(ctx context.Context) (err error) {
		value, err = c.client.Get(ctx, key).Bytes()
		return err
	})
	if !errors.Is(err, redis.Nil) {
		return value, err
	}
	if value, err = read(ctx); err != nil {
		return nil, err
	}
	return value, c.use(ctx, func(ctx context.Context) error {
		return c.client.Set(ctx, key, value, c.ttl).Err()
	})
}

// use bounds one command by the time-out.
func (c *Cache) use(ctx context.Context, command func(context.Context) error) error {
	if c.client == nil {
		return ErrUnavailable
	}
	// A client that leaves does not cancel: a command cut off would cost the pool its connection.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.timeout)
	defer cancel()
	err := command(ctx)
	if err == nil || errors.Is(err, redis.Nil) {
		return err
	}
	netErr, ok := errors.AsType[net.Error](err)
	if ok && netErr.Timeout() || errors.Is(err, redis.ErrPoolTimeout) {
		return fmt.Errorf("%w: %w", ErrTimeout, err)
	}
	return fmt.Errorf("%w: %w", ErrUnavailable, err)
}
