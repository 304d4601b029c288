package server

import (
	"context"
	"net/http"
	"strconv"

	"github.com/gin-gonic/gin"
)

func (s service) user(c *gin.Context) error {
	id, err := userID(c)
	if err != nil {
		return err
	}
	read := func(ctx context.Context) ([]byte, error) {
		user, err := s.store.User(ctx, id)
		if err != nil {
			return nil, err
		}
		return encodeJSON(user)
	}
	var body []byte
	switch c.DefaultQuery("cache", "false") {
	case "true":
		body, err = s.cache.ReadThrough(c.Request.Context(), "user:"+strconv.FormatInt(id, 10), read)
	case "false":
		body, err = read(c.Request.Context())
	default:
		return errInvalidCache
	}
	if err != nil {
		return err
	}
	answer(c, http.StatusOK, gin.MIMEJSON, body)
	return nil
}

func userID(c *gin.Context) (int64, error) {
	id, err := strconv.ParseInt(c.Param("id"), 10, 64)
	if err != nil || id < 1 {
		return 0, errInvalidID
	}
	return id, nil
}
