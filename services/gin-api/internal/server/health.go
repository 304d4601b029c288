package server

import (
	"net/http"

	"github.com/gin-gonic/gin"
)

type health struct {
	Status string `json:"status"`
}

// addHealthRoutes adds what is for the operator and is never slowed by faults.
func addHealthRoutes(routes gin.IRoutes, metrics *metrics) {
	get(routes, "/healthz", func(c *gin.Context) {
		answerJSON(c, http.StatusOK, health{"ok"})
	})
	get(routes, "/metrics", gin.WrapH(metrics.handler()))
}
