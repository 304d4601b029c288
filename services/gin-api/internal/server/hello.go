package server

import (
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"
)

const (
	helloPath = "/hello/{path}"

	helloPrefix    = "/hello/"
	helloPathLimit = 1024
)

func addHelloRoutes(routes gin.IRoutes) {
	get(routes, helloPath, hello)
}

func hello(c *gin.Context) {
	if _, apiErr := parseQuery(c.Request.URL.RawQuery); apiErr != nil {
		apiErr.answer(c)
		return
	}
	path := strings.TrimPrefix(sentPath(c.Request.RequestURI), helloPrefix)
	if !isWithin(len(path), helloPathLimit) {
		errInvalidPath.answer(c)
		return
	}
	answer(c, http.StatusOK, "text/plain; charset=utf-8", []byte("Hello, "+path+"!\n"))
}

// sentPath is the path in a request line, byte for byte; net/url has decoded and cleaned its own.
func sentPath(target string) string {
	path, _, _ := strings.Cut(target, "?")
	if strings.HasPrefix(path, "/") {
		return path
	}
	// What a proxy is sent: http://host/path.
	_, path, _ = strings.Cut(path, "://")
	return path[max(0, strings.IndexByte(path, '/')):]
}
