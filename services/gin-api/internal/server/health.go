package server

import (
	"net/http"

	"github.com/gin-gonic/gin"
)

const (
	healthPath  = "/healthz"
	metricsPath = "/metrics"
)

type health struct {
	Status string `json:"status"`
}

// addHealthRoutes adds what is for the operator and is never slowed by faults.
func addHealthRoutes(routes gin.IRoutes, metrics *metrics, backends Backends) {
	get(routes, healthPath, func(c *gin.Context) {
		if apiErr := backends.ping(c); apiErr != nil {
			apiErr.answer(c)
			return
		}
		answerJSON(c, http.StatusOK, health{"ok"})
	})
	get(routes, metricsPath, gin.WrapH(metrics.handler()))
}

// ping is the first error of those that are configured.
func (b Backends) ping(c *gin.Context) *apiError {
	if b.database.pool != nil {
		if apiErr := b.database.ping(c); apiErr != nil {
			return apiErr
		}
	}
	if b.cache.client != nil {
		if apiErr := b.cache.ping(c); apiErr != nil {
			return apiErr
		}
	}
	if b.upstream.client != nil {
		return b.upstream.ping(c)
	}
	return nil
}
