// Package server is the whole service without a socket: routes, middleware and errors. A file per route group.
package server

import (
	"strings"

	"github.com/gin-gonic/gin"

	"github.com/tailgate/tailgate/services/gin-api/internal/fault"
)

// NewRouter has all routes. With nil faults there is no fault layer at all, so they cost nothing when off.
func NewRouter(faults *fault.Faults, backends Backends) *gin.Engine {
	gin.SetMode(gin.ReleaseMode)
	router := gin.New()
	// Paths mean what they say: no redirects to near misses, no match of an escaped spelling.
	router.RedirectTrailingSlash = false
	router.UseEscapedPath = true
	router.UnescapePathValues = false
	router.HandleMethodNotAllowed = true

	metrics := newMetrics()
	router.Use(metrics.observe, gin.CustomRecovery(func(c *gin.Context, _ any) {
		errInternal.answer(c)
	}))
	router.Use(refuseEmptyID)
	router.NoRoute(errNotFound.answer)
	router.NoMethod(func(c *gin.Context) {
		// gin's list has spaces, axum's has none.
		c.Header("Allow", strings.ReplaceAll(c.Writer.Header().Get("Allow"), " ", ""))
		errMethodNotAllowed.answer(c)
	})

	addHealthRoutes(router, metrics, backends)
	addProcessRoutes(faulty(router, processPath, faults))
	addEchoRoutes(faulty(router, echoPath, faults))
	addExperimentsRoutes(faulty(router, experimentsPath, faults))
	addHelloRoutes(faulty(router, helloPath, faults))
	addDocumentsRoutes(faulty(router, documentsPath, faults))
	addUserRoutes(faulty(router, userPath, faults), backends.database, backends.cache)
	addSummaryRoutes(faulty(router, summaryPath, faults), backends.database, faults.NPlusOne(summaryPath))
	addFanoutRoutes(faulty(router, fanoutPath, faults), backends.upstream)
	metrics.nameRoutes(router.Routes())
	return router
}

// Paths are spelt as in the contract everywhere but inside gin.
var (
	ginSyntax      = strings.NewReplacer("{path}", "*path", "{id}", ":id")
	contractSyntax = strings.NewReplacer("*path", "{path}", ":id", "{id}")
)

// gin takes the empty segment in this for an id. Here it makes another path, as all doubled slashes do.
const emptyIDPath = "/users//summary"

func hasEmptyID(c *gin.Context) bool {
	return c.Request.URL.Path == emptyIDPath && c.Request.URL.EscapedPath() == emptyIDPath
}

func refuseEmptyID(c *gin.Context) {
	if hasEmptyID(c) {
		c.Writer.Header().Del("Allow")
		errNotFound.answer(c)
		c.Abort()
	}
}

// faulty is where the path's routes go: behind the fault layer if faults are on and cover the path.
func faulty(router *gin.Engine, path string, faults *fault.Faults) gin.IRoutes {
	if faults == nil || !faults.Covers(path) {
		return router
	}
	return router.Group("", faults.Middleware(errFault.answer))
}

// get also answers HEAD, as axum's does.
func get(routes gin.IRoutes, path string, handler gin.HandlerFunc) {
	path = ginSyntax.Replace(path)
	routes.GET(path, handler)
	routes.HEAD(path, handler)
}
