package server

import (
	"context"
	"errors"
	"net"
	"time"

	"github.com/gin-gonic/gin"

	"github.com/tailgate/tailgate/services/gin-api/internal/config"
)

// Backends are what the service depends on. Those that are not configured answer that they cannot be reached.
type Backends struct {
	database database
	cache    cache
	upstream upstream
}

// NewBackends connects to nothing yet that a request would have to wait for, so it succeeds while servers are down.
func NewBackends(cfg config.Config) (Backends, error) {
	database, err := newDatabase(cfg)
	if err != nil {
		return Backends{}, err
	}
	return Backends{database, newCache(cfg), newUpstream(cfg)}, nil
}

// bounded is the context of one use of a backend. It does not end with the request: a client that leaves would
// otherwise cost the pools a connection, because a call cut off leaves its connection unusable.
func bounded(c *gin.Context, timeout time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(c.Request.Context()), timeout)
}

// isTimeout is true of a context's end and of a socket's deadline, whichever comes first.
func isTimeout(err error) bool {
	var timeout net.Error
	return errors.As(err, &timeout) && timeout.Timeout()
}
