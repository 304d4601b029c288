package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gin-gonic/gin"
)

const jsonType = "application/json"

// answerJSON writes compact JSON that escapes only what JSON must.
func answerJSON(c *gin.Context, status int, value any) {
	answer(c, status, jsonType, encodeJSON(value))
}

// answer tells the length: gin's own renderers leave answers beyond 2 KiB without one.
func answer(c *gin.Context, status int, mediaType string, body []byte) {
	c.Header("Content-Length", strconv.Itoa(len(body)))
	c.Data(status, mediaType, body)
}

// encodeJSON does what neither json.Marshal, which escapes <, > and &, nor json.Encoder, which ends with a line
// feed, does alone.
func encodeJSON(value any) []byte {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		// Only a type that JSON cannot express gets here.
		panic(err)
	}
	return plainSeparators(bytes.TrimSuffix(buffer.Bytes(), []byte("\n")))
}

// plainSeparators undoes the escapes of U+2028 and U+2029, which encoding/json makes even when told not to
// escape for HTML. A backslash that is itself escaped starts no escape.
func plainSeparators(body []byte) []byte {
	if !bytes.Contains(body, []byte(`\u202`)) {
		return body
	}
	plain := make([]byte, 0, len(body))
	for len(body) > 0 {
		switch {
		case bytes.HasPrefix(body, []byte(`\u2028`)):
			plain, body = append(plain, "\u2028"...), body[6:]
		case bytes.HasPrefix(body, []byte(`\u2029`)):
			plain, body = append(plain, "\u2029"...), body[6:]
		case body[0] == '\\':
			plain, body = append(plain, body[:2]...), body[2:]
		default:
			plain, body = append(plain, body[0]), body[1:]
		}
	}
	return plain
}

// readJSON is the request's body, at most limit bytes of declared JSON.
func readJSON(c *gin.Context, limit int64) ([]byte, *apiError) {
	mediaType, _, _ := strings.Cut(c.GetHeader("Content-Type"), ";")
	if !strings.EqualFold(strings.TrimSpace(mediaType), jsonType) {
		return nil, errUnsupportedMediaType
	}
	var body bytes.Buffer
	if declared := c.Request.ContentLength; declared > 0 {
		// Room for all of it from the start, and for the read that finds its end.
		body.Grow(int(min(declared, limit)) + bytes.MinRead)
	}
	_, err := body.ReadFrom(http.MaxBytesReader(c.Writer, c.Request.Body, limit))
	var tooLarge *http.MaxBytesError
	switch {
	case err == nil:
		return body.Bytes(), nil
	case errors.As(err, &tooLarge):
		return nil, errBodyTooLarge
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, errRequestTimeout
	default:
		return nil, errUnreadableBody
	}
}

// parseObject decodes the JSON object in body into value, whose objects are of that shape. It answers wrongShape
// when the body is JSON but not exactly that.
func parseObject(body []byte, value any, exact *shape, wrongShape *apiError) *apiError {
	if !utf8.Valid(body) {
		return errInvalidJSON
	}
	err := json.Unmarshal(body, value)
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		return errInvalidJSON
	case err != nil, !isExactly(body, exact):
		return wrongShape
	}
	return nil
}
