package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gin-gonic/gin"
)

// readJSON is the request's body, at most limit bytes of declared JSON.
func readJSON(c *gin.Context, limit int64) ([]byte, error) {
	if !strings.EqualFold(c.ContentType(), gin.MIMEJSON) {
		return nil, errUnsupportedMediaType
	}
	var body bytes.Buffer
	if length := c.Request.ContentLength; length > 0 {
		// Room for all of it from the start, and for the read that finds its end.
		body.Grow(int(min(length, limit)) + bytes.MinRead)
	}
	_, err := body.ReadFrom(http.MaxBytesReader(c.Writer, c.Request.Body, limit))
	if err == nil {
		return body.Bytes(), nil
	}
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return nil, errBodyTooLarge
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return nil, errRequestTimeout
	}
	return nil, errUnreadableBody
}

// decodeJSON is wrongShape when the body is JSON, but no valid T.
func decodeJSON[T interface{ valid() bool }](body []byte, wrongShape error) (T, error) {
	var value T
	if !utf8.Valid(body) {
		return value, errInvalidJSON
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.DisallowUnknownFields()
	err := decoder.Decode(&value)
	if _, end := decoder.Token(); !errors.Is(end, io.EOF) || err != nil {
		if json.Valid(body) {
			return value, wrongShape
		}
		return value, errInvalidJSON
	}
	if !value.valid() {
		return value, wrongShape
	}
	return value, nil
}

func answerJSON(c *gin.Context, status int, value any) error {
	body, err := encodeJSON(value)
	if err != nil {
		return err
	}
	answer(c, status, gin.MIMEJSON, body)
	return nil
}

// answer tells the length: gin's own renderers leave answers beyond 2 KiB without one.
func answer(c *gin.Context, status int, mediaType string, body []byte) {
	c.Header("Content-Length", strconv.Itoa(len(body)))
	c.Data(status, mediaType, body)
}

// unescape undoes what encoding/json escapes even when told not to escape for HTML. The first pair is for
// backslashes that are themselves escaped and start nothing.
var unescape = strings.NewReplacer(`\\`, `\\`, `\u2028`, "\u2028", `\u2029`, "\u2029")

// encodeJSON is compact JSON without escapes that JSON does not need.
func encodeJSON(value any) ([]byte, error) {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	body := bytes.TrimSuffix(buffer.Bytes(), []byte("\n"))
	if bytes.Contains(body, []byte(`\u202`)) {
		body = []byte(unescape.Replace(string(body)))
	}
	return body, nil
}
