package server

import (
	"errors"
	"net/http"

	"github.com/gin-gonic/gin"

	"github.com/tailgate/tailgate/services/gin-api/internal/cache"
	"github.com/tailgate/tailgate/services/gin-api/internal/store"
	"github.com/tailgate/tailgate/services/gin-api/internal/upstream"
)

// apiError is an error as a client sees it. Codes and messages are the contract's, never a library's.
type apiError struct {
	status        int
	code, message string
}

func (e apiError) Error() string { return e.code }

var (
	errInvalidJSON = apiError{http.StatusBadRequest, "invalid_json",
		"the request body is not JSON in UTF-8"}
	errUnreadableBody = apiError{http.StatusBadRequest, "unreadable_body",
		"the request body could not be read"}
	errNotFound = apiError{http.StatusNotFound, "not_found",
		"there is no such route"}
	errUserNotFound = apiError{http.StatusNotFound, "user_not_found",
		"there is no such user"}
	errMethodNotAllowed = apiError{http.StatusMethodNotAllowed, "method_not_allowed",
		"the route does not answer this method"}
	errRequestTimeout = apiError{http.StatusRequestTimeout, "request_timeout",
		"the request body did not arrive in time"}
	errBodyTooLarge = apiError{http.StatusRequestEntityTooLarge, "body_too_large",
		"the request body is larger than the route takes"}
	errUnsupportedMediaType = apiError{http.StatusUnsupportedMediaType, "unsupported_media_type",
		"the content type must be application/json"}
	errInvalidEcho = apiError{http.StatusUnprocessableEntity, "invalid_echo",
		"the body must be an object of exactly id (an integer from 0 to 18446744073709551615), " +
			"user_agent (a string) and metadata (an array of strings)"}
	errInvalidDocument = apiError{http.StatusUnprocessableEntity, "invalid_document",
		"the body must be an object of exactly title and sections, with sections of exactly title, " +
			"paragraphs, tags and sections, at most 32 deep"}
	errInvalidExperiment = apiError{http.StatusUnprocessableEntity, "invalid_experiment",
		"the body must be an object of exactly name (1 to 200 characters), traffic_percent (an integer " +
			"from 0 to 100) and variants (1 to 20 objects of exactly name, 1 to 64 characters and unique, " +
			"and weight, an integer from 1 to 1000)"}
	errInvalidInput = apiError{http.StatusUnprocessableEntity, "invalid_input",
		"input must be 1 to 1024 bytes long"}
	errInvalidFor = apiError{http.StatusUnprocessableEntity, "invalid_for",
		"for must be a whole number of us or ms, from 1us to 100ms"}
	errInvalidID = apiError{http.StatusUnprocessableEntity, "invalid_id",
		"id must be a whole number from 1 to 9223372036854775807"}
	errInvalidCache = apiError{http.StatusUnprocessableEntity, "invalid_cache",
		"cache must be true or false"}
	errInvalidCalls = apiError{http.StatusUnprocessableEntity, "invalid_calls",
		"calls must be a whole number from 1 to 100"}
	errInvalidHash = apiError{http.StatusUnprocessableEntity, "invalid_hash",
		"hash must be md5"}
	errInvalidPath = apiError{http.StatusUnprocessableEntity, "invalid_path",
		"the path must be 1 to 1024 bytes long"}
	errInternal = apiError{http.StatusInternalServerError, "internal",
		"the service failed"}
	errFault = apiError{http.StatusInternalServerError, "fault",
		"error_one_in of TAILGATE_FAULTS asked for this error"}
	errDatabaseUnavailable = apiError{http.StatusServiceUnavailable, "database_unavailable",
		"the database cannot be reached"}
	errCacheUnavailable = apiError{http.StatusServiceUnavailable, "cache_unavailable",
		"the cache cannot be reached"}
	errUpstreamUnavailable = apiError{http.StatusServiceUnavailable, "upstream_unavailable",
		"the upstream cannot be reached"}
	errDatabaseTimeout = apiError{http.StatusGatewayTimeout, "database_timeout",
		"the database did not answer in time"}
	errCacheTimeout = apiError{http.StatusGatewayTimeout, "cache_timeout",
		"the cache did not answer in time"}
	errUpstreamTimeout = apiError{http.StatusGatewayTimeout, "upstream_timeout",
		"the upstream did not answer in time"}
)

// handler answers the request, or returns the error that is to be the answer.
type handler func(*gin.Context) error

// adapt answers with the handler's error, if it returns one.
func adapt(handle handler) gin.HandlerFunc {
	return func(c *gin.Context) {
		if err := handle(c); err != nil {
			answerError(c, err)
		}
	}
}

// fail answers every request with the error.
func fail(err error) gin.HandlerFunc {
	return adapt(func(*gin.Context) error { return err })
}

func answerError(c *gin.Context, err error) {
	e := asAPIError(err)
	// It holds nothing but strings, which JSON can always express.
	_ = answerJSON(c, e.status, gin.H{"error": gin.H{"code": e.code, "message": e.message}})
}

func asAPIError(err error) apiError {
	if e, ok := errors.AsType[apiError](err); ok {
		return e
	}
	for _, known := range []struct {
		err    error
		answer apiError
	}{
		{store.ErrNotFound, errUserNotFound},
		{store.ErrUnavailable, errDatabaseUnavailable},
		{store.ErrTimeout, errDatabaseTimeout},
		{cache.ErrUnavailable, errCacheUnavailable},
		{cache.ErrTimeout, errCacheTimeout},
		{upstream.ErrTimeout, errUpstreamTimeout},
	} {
		if errors.Is(err, known.err) {
			return known.answer
		}
	}
	if _, ok := errors.AsType[upstream.Error](err); ok {
		return errUpstreamUnavailable
	}
	return errInternal
}
