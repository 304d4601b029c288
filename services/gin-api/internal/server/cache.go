package server

import (
	"context"
	"errors"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"
	"github.com/redis/go-redis/v9/maintnotifications"

	"github.com/tailgate/tailgate/services/gin-api/internal/config"
)

// cache is Redis, which keeps bodies of answers.
type cache struct {
	client  *redis.Client // nil when not configured
	timeout time.Duration
	ttl     time.Duration
}

func newCache(cfg config.Config) cache {
	if cfg.Redis == nil {
		return cache{}
	}
	// It would write a line for each failed connection.
	logging.Disable()
	options := *cfg.Redis
	// Only with all of these does the context bound a use.
	options.ContextTimeoutEnabled = true
	options.MaxRetries = -1
	options.DialerRetries = 1
	options.DialTimeout = cfg.RedisTimeout
	options.ReadTimeout = cfg.RedisTimeout
	options.WriteTimeout = cfg.RedisTimeout
	options.PoolTimeout = cfg.RedisTimeout
	// Nothing is asked on connecting that the service does not need.
	options.DisableIdentity = true
	options.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	return cache{redis.NewClient(&options), cfg.RedisTimeout, cfg.CacheTTL}
}

// get is nil where there is nothing under the key.
func (s cache) get(c *gin.Context, key string) (value []byte, apiErr *apiError) {
	apiErr = s.use(c, func(ctx context.Context) error {
		var err error
		value, err = s.client.Get(ctx, key).Bytes()
		if errors.Is(err, redis.Nil) {
			return nil
		}
		return err
	})
	return value, apiErr
}

func (s cache) set(c *gin.Context, key string, value []byte) *apiError {
	return s.use(c, func(ctx context.Context) error {
		return s.client.Set(ctx, key, value, s.ttl).Err()
	})
}

func (s cache) ping(c *gin.Context) *apiError {
	return s.use(c, func(ctx context.Context) error {
		return s.client.Ping(ctx).Err()
	})
}

func (s cache) use(c *gin.Context, command func(context.Context) error) *apiError {
	if s.client == nil {
		return errCacheUnavailable
	}
	ctx, cancel := bounded(c, s.timeout)
	defer cancel()
	err := command(ctx)
	switch {
	case err == nil:
		return nil
	case isTimeout(err), errors.Is(err, redis.ErrPoolTimeout):
		return errCacheTimeout
	default:
		return errCacheUnavailable
	}
}
