// Package server is the whole service without a socket: routes, middleware and errors. A file per route group.
package server

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"github.com/tailgate/tailgate/services/gin-api/internal/cache"
	"github.com/tailgate/tailgate/services/gin-api/internal/config"
	"github.com/tailgate/tailgate/services/gin-api/internal/fault"
	"github.com/tailgate/tailgate/services/gin-api/internal/store"
	"github.com/tailgate/tailgate/services/gin-api/internal/upstream"
)

// service is what the handlers share.
type service struct {
	store    *store.Store
	cache    *cache.Cache
	upstream *upstream.Client
	metrics  *metrics
	faults   *fault.Faults // nil when none are asked for
}

// New has all routes. What they depend on may be down: it is connected to in the background.
func New(cfg config.Config) (*gin.Engine, error) {
	database, err := store.New(cfg.Database, cfg.DatabaseTimeout)
	if err != nil {
		return nil, fmt.Errorf("cannot set up the pool of DATABASE_URL: %w", err)
	}
	s := service{
		store:    database,
		cache:    cache.New(cfg.Redis, cfg.RedisTimeout, cfg.CacheTTL),
		upstream: upstream.New(cfg.Upstream, cfg.UpstreamTimeout),
		metrics:  newMetrics(),
	}
	if cfg.Faults != nil {
		s.faults = fault.New(*cfg.Faults)
	}
	return s.router(), nil
}

func (s service) router() *gin.Engine {
	gin.SetMode(gin.ReleaseMode)
	router := gin.New()
	router.HandleMethodNotAllowed = true
	router.NoRoute(s.metrics.observe(unmatched), fail(errNotFound))
	router.NoMethod(s.metrics.observe(unmatched), fail(errMethodNotAllowed))
	s.add(router, http.MethodGet, "/healthz", s.health)
	s.add(router, http.MethodGet, "/metrics", s.metrics.answer)
	s.add(router, http.MethodPost, "/echo", echo)
	s.add(router, http.MethodGet, "/process", process)
	s.add(router, http.MethodPost, "/experiments", createExperiment)
	s.add(router, http.MethodGet, "/hello/*path", hello)
	s.add(router, http.MethodPost, "/documents", outlineDocument)
	s.add(router, http.MethodGet, "/users/:id", s.user)
	s.add(router, http.MethodGet, "/users/:id/summary", s.summary)
	s.add(router, http.MethodGet, "/fanout", s.fanOut)
	return router
}

// contractSyntax spells gin's paths as the contract does.
var contractSyntax = strings.NewReplacer("*path", "{path}", ":id", "{id}")

// add has no fault layer where no fault covers the route. GET also answers HEAD.
func (s service) add(router *gin.Engine, method, path string, handle handler) {
	route := contractSyntax.Replace(path)
	chain := gin.HandlersChain{s.metrics.observe(route), recovery}
	if s.faults.Covers(route) {
		chain = append(chain, s.faults.Middleware(fail(errFault)))
	}
	chain = append(chain, adapt(handle))
	router.Handle(method, path, chain...)
	if method == http.MethodGet {
		router.Handle(http.MethodHead, path, chain...)
	}
}

var recovery = gin.CustomRecovery(func(c *gin.Context, _ any) { answerError(c, errInternal) })
