package server

import (
	"net/http"

	"github.com/gin-gonic/gin"
)

// apiError is an error the service can answer with. Codes and messages are part of the contract and are our
// own: the text of a library's error never reaches a client, so both services can answer with the same bytes.
type apiError struct {
	status  int
	code    string
	message string
}

// apiErrors are all there are, so that a test can hold them against the contract.
var apiErrors []*apiError

func define(status int, code, message string) *apiError {
	e := &apiError{status, code, message}
	apiErrors = append(apiErrors, e)
	return e
}

var (
	errInvalidJSON = define(http.StatusBadRequest, "invalid_json",
		"the request body is not JSON in UTF-8")
	errUnreadableBody = define(http.StatusBadRequest, "unreadable_body",
		"the request body could not be read")
	errNotFound = define(http.StatusNotFound, "not_found",
		"there is no such route")
	errUserNotFound = define(http.StatusNotFound, "user_not_found",
		"there is no such user")
	errMethodNotAllowed = define(http.StatusMethodNotAllowed, "method_not_allowed",
		"the route does not answer this method")
	errRequestTimeout = define(http.StatusRequestTimeout, "request_timeout",
		"the request body did not arrive in time")
	errBodyTooLarge = define(http.StatusRequestEntityTooLarge, "body_too_large",
		"the request body is larger than the route takes")
	errUnsupportedMediaType = define(http.StatusUnsupportedMediaType, "unsupported_media_type",
		"the content type must be application/json")
	errInvalidEcho = define(http.StatusUnprocessableEntity, "invalid_echo",
		"the body must be an object of exactly id (an integer from 0 to 18446744073709551615), "+
			"user_agent (a string) and metadata (an array of strings)")
	errInvalidDocument = define(http.StatusUnprocessableEntity, "invalid_document",
		"the body must be an object of exactly title and sections, with sections of exactly title, "+
			"paragraphs, tags and sections, at most 32 deep")
	errInvalidExperiment = define(http.StatusUnprocessableEntity, "invalid_experiment",
		"the body must be an object of exactly name (1 to 200 characters), traffic_percent (an integer "+
			"from 0 to 100) and variants (1 to 20 objects of exactly name, 1 to 64 characters and unique, "+
			"and weight, an integer from 1 to 1000)")
	errInvalidQuery = define(http.StatusUnprocessableEntity, "invalid_query",
		"the query string is malformed")
	errInvalidInput = define(http.StatusUnprocessableEntity, "invalid_input",
		"input must be given once and be 1 to 1024 bytes long")
	errInvalidFor = define(http.StatusUnprocessableEntity, "invalid_for",
		"for must be a whole number of us or ms, from 1us to 100ms, given at most once")
	errInvalidID = define(http.StatusUnprocessableEntity, "invalid_id",
		"id must be a whole number from 1 to 9223372036854775807")
	errInvalidCache = define(http.StatusUnprocessableEntity, "invalid_cache",
		"cache must be true or false, given at most once")
	errInvalidCalls = define(http.StatusUnprocessableEntity, "invalid_calls",
		"calls must be a whole number from 1 to 100, given at most once")
	errInvalidHash = define(http.StatusUnprocessableEntity, "invalid_hash",
		"hash must be md5, given at most once")
	errInvalidPath = define(http.StatusUnprocessableEntity, "invalid_path",
		"the path must be 1 to 1024 bytes long")
	errInternal = define(http.StatusInternalServerError, "internal",
		"the service failed")
	errFault = define(http.StatusInternalServerError, "fault",
		"error_one_in of TAILGATE_FAULTS asked for this error")
	errDatabaseUnavailable = define(http.StatusServiceUnavailable, "database_unavailable",
		"the database cannot be reached")
	errCacheUnavailable = define(http.StatusServiceUnavailable, "cache_unavailable",
		"the cache cannot be reached")
	errUpstreamUnavailable = define(http.StatusServiceUnavailable, "upstream_unavailable",
		"the upstream cannot be reached")
	errDatabaseTimeout = define(http.StatusGatewayTimeout, "database_timeout",
		"the database did not answer in time")
	errCacheTimeout = define(http.StatusGatewayTimeout, "cache_timeout",
		"the cache did not answer in time")
	errUpstreamTimeout = define(http.StatusGatewayTimeout, "upstream_timeout",
		"the upstream did not answer in time")
)

// Error makes it an error, so that it can pass through code that knows only these.
func (e *apiError) Error() string {
	return e.code
}

type errorDetail struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

type errorBody struct {
	Error errorDetail `json:"error"`
}

func (e *apiError) answer(c *gin.Context) {
	answerJSON(c, e.status, errorBody{errorDetail{e.code, e.message}})
}
