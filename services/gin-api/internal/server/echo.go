package server

import (
	"net/http"
	"strings"
	"time"

	"github.com/gin-gonic/gin"
)

const (
	// bodyLimit holds for every route that does not say otherwise.
	bodyLimit = 64 * 1024

	// addedBytes is what the answer has beyond the request before any padding: the names, quotes and commas of
	// three fields, the 30 characters of the time and the 8 of the other service's name. It is the same in both,
	// so that the padding is.
	addedBytes = 91

	// nineDigits is RFC 3339 with all nine digits, also when the last are zero, so that the length is constant.
	nineDigits = "2006-01-02T15:04:05.000000000Z07:00"

	alphabet = "abcdefghijklmnopqrstuvwxyz"
)

var padding = strings.Repeat(alphabet, bodyLimit/len(alphabet)+1)

// echoRequest has pointers to tell what is missing.
type echoRequest struct {
	ID        *uint64  `json:"id"`
	UserAgent *string  `json:"user_agent"`
	Metadata  []string `json:"metadata"`
}

func (r echoRequest) valid() bool {
	return r.ID != nil && r.UserAgent != nil && r.Metadata != nil
}

type echoReply struct {
	echoRequest
	ServerTimestamp string `json:"server_timestamp"`
	ProcessedBy     string `json:"processed_by"`
	Padding         string `json:"padding"`
}

func echo(c *gin.Context) error {
	body, err := readJSON(c, bodyLimit)
	if err != nil {
		return err
	}
	request, err := decodeJSON[echoRequest](body, errInvalidEcho)
	if err != nil {
		return err
	}
	return answerJSON(c, http.StatusOK, echoReply{
		echoRequest:     request,
		ServerTimestamp: time.Now().UTC().Format(nineDigits),
		ProcessedBy:     "gin-api",
		Padding:         padding[:max(0, len(body)-addedBytes)],
	})
}
