package server

import (
	"cmp"
	"context"
	"net/http"
	"sync"

	"github.com/gin-gonic/gin"
)

// health asks all that is configured at the same time; the first in the contract's order that fails is told.
func (s service) health(c *gin.Context) error {
	pings := []func(context.Context) error{s.store.Ping, s.cache.Ping, s.upstream.Ping}
	errs := make([]error, len(pings))
	var wait sync.WaitGroup
	for i, ping := range pings {
		wait.Go(func() { errs[i] = ping(c.Request.Context()) })
	}
	wait.Wait()
	if err := cmp.Or(errs...); err != nil {
		return err
	}
	return answerJSON(c, http.StatusOK, gin.H{"status": "ok"})
}
