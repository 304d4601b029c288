package server

import (
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"
)

const helloPathLimit = 1024

func hello(c *gin.Context) error {
	path := strings.TrimPrefix(c.Param("path"), "/")
	if path == "" || len(path) > helloPathLimit {
		return errInvalidPath
	}
	answer(c, http.StatusOK, "text/plain; charset=utf-8", []byte("Hello, "+path+"!\n"))
	return nil
}
