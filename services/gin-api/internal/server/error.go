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

var (
	errInvalidJSON = &apiError{http.StatusBadRequest, "invalid_json",
		"the request body is not JSON in UTF-8"}
	errUnreadableBody = &apiError{http.StatusBadRequest, "unreadable_body",
		"the request body could not be read"}
	errNotFound = &apiError{http.StatusNotFound, "not_found",
		"there is no such route"}
	errMethodNotAllowed = &apiError{http.StatusMethodNotAllowed, "method_not_allowed",
		"the route does not answer this method"}
	errRequestTimeout = &apiError{http.StatusRequestTimeout, "request_timeout",
		"the request body did not arrive in time"}
	errBodyTooLarge = &apiError{http.StatusRequestEntityTooLarge, "body_too_large",
		"the request body is larger than 65536 bytes"}
	errUnsupportedMediaType = &apiError{http.StatusUnsupportedMediaType, "unsupported_media_type",
		"the content type must be application/json"}
	errInvalidEcho = &apiError{http.StatusUnprocessableEntity, "invalid_echo",
		"the body must be an object of exactly id (an integer from 0 to 18446744073709551615), " +
			"user_agent (a string) and metadata (an array of strings)"}
	errInvalidQuery = &apiError{http.StatusUnprocessableEntity, "invalid_query",
		"the query string is malformed"}
	errInvalidInput = &apiError{http.StatusUnprocessableEntity, "invalid_input",
		"input must be given once and be 1 to 1024 bytes long"}
	errInvalidFor = &apiError{http.StatusUnprocessableEntity, "invalid_for",
		"for must be a whole number of us or ms, from 1us to 100ms, given at most once"}
	errFault = &apiError{http.StatusInternalServerError, "fault",
		"error_one_in of TAILGATE_FAULTS asked for this error"}
	errInternal = &apiError{http.StatusInternalServerError, "internal",
		"the service failed"}
)

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
