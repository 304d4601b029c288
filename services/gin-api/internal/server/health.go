package server

import (
	"context"
	"net/http"

	"github.com/gin-gonic/gin"
)

// health is the first error of what is configured.
func (s service) health(c *gin.Context) error {
	for _, ping := range []func(context.Context) error{s.store.Ping, s.cache.Ping, s.upstream.Ping} {
		if err := ping(c.Request.Context()); err != nil {
			return err
		}
	}
	return answerJSON(c, http.StatusOK, gin.H{"status": "ok"})
}
