package server

import (
	"context"
	"errors"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/jackc/pgx/v5"
)

const (
	userPath = "/users/{id}"

	wholeSeconds = "2006-01-02T15:04:05Z07:00"
)

type user struct {
	ID        int64  `json:"id"`
	Name      string `json:"name"`
	Email     string `json:"email"`
	CreatedAt string `json:"created_at"`
}

func addUserRoutes(routes gin.IRoutes, database database, cache cache) {
	get(routes, userPath, func(c *gin.Context) {
		id, cached, apiErr := parseUser(c.Param("id"), c.Request.URL.RawQuery)
		if apiErr != nil {
			apiErr.answer(c)
			return
		}
		read := readUser
		if cached {
			read = cache.readThrough
		}
		body, apiErr := read(c, database, id)
		if apiErr != nil {
			apiErr.answer(c)
			return
		}
		answer(c, http.StatusOK, jsonType, body)
	})
}

func parseUser(rawID, rawQuery string) (id int64, cached bool, apiErr *apiError) {
	query, apiErr := parseQuery(rawQuery)
	if apiErr != nil {
		return 0, false, apiErr
	}
	if id, apiErr = parseID(rawID); apiErr != nil {
		return 0, false, apiErr
	}
	value, times := query.one("cache")
	if times > 1 || times == 1 && value != "true" && value != "false" {
		return 0, false, errInvalidCache
	}
	return id, value == "true", nil
}

func parseID(text string) (int64, *apiError) {
	id, ok := parseWhole(text, math.MaxInt64)
	if !ok {
		return 0, errInvalidID
	}
	return int64(id), nil
}

// readUser is the body of the answer.
func readUser(c *gin.Context, database database, id int64) ([]byte, *apiError) {
	u := user{ID: id}
	apiErr := database.use(c, func(ctx context.Context, conn *pgx.Conn) error {
		const query = "SELECT name, email, created_at FROM users WHERE id = $1"
		var createdAt time.Time
		if err := conn.QueryRow(ctx, query, id).Scan(&u.Name, &u.Email, &createdAt); err != nil {
			return orUserNotFound(err)
		}
		u.CreatedAt = createdAt.UTC().Format(wholeSeconds)
		return nil
	})
	if apiErr != nil {
		return nil, apiErr
	}
	return encodeJSON(u), nil
}

func orUserNotFound(err error) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return errUserNotFound
	}
	return err
}

// readThrough looks into the cache first, and keeps there what it had to read.
func (s cache) readThrough(c *gin.Context, database database, id int64) ([]byte, *apiError) {
	key := "user:" + strconv.FormatInt(id, 10)
	body, apiErr := s.get(c, key)
	if body != nil || apiErr != nil {
		return body, apiErr
	}
	if body, apiErr = readUser(c, database, id); apiErr != nil {
		return nil, apiErr
	}
	return body, s.set(c, key, body)
}
