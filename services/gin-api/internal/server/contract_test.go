package server

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gin-gonic/gin"

	"github.com/tailgate/tailgate/services/gin-api/internal/cache"
	"github.com/tailgate/tailgate/services/gin-api/internal/config"
	"github.com/tailgate/tailgate/services/gin-api/internal/store"
	"github.com/tailgate/tailgate/services/gin-api/internal/upstream"
)

// The vectors of services/contract, run against the router without a socket.

const serviceName = "gin-api"

type vector struct {
	Name    string `json:"name"`
	Request struct {
		Method    string            `json:"method"`
		Path      string            `json:"path"`
		Headers   map[string]string `json:"headers"`
		Body      json.RawMessage   `json:"body"`
		BodyText  string            `json:"bodyText"`
		BodyBytes []json.RawMessage `json:"bodyBytes"`
	} `json:"request"`
	Expect struct {
		Status   int               `json:"status"`
		Headers  map[string]string `json:"headers"`
		Text     *string           `json:"text"`
		JSON     any               `json:"json"`
		Contains []string          `json:"contains"`
	} `json:"expect"`
}

func TestVectors(t *testing.T) {
	runVectors(t, "../../../contract/vectors/*.json", func(string) string { return "" })
}

// TestVectorsWithDependencies needs the seeded database, an empty cache and the upstream.
func TestVectorsWithDependencies(t *testing.T) {
	if os.Getenv("DATABASE_URL") == "" || os.Getenv("REDIS_URL") == "" || os.Getenv("UPSTREAM_URL") == "" {
		t.Skip("skipped: DATABASE_URL, REDIS_URL, UPSTREAM_URL not set")
	}
	runVectors(t, "../../../contract/vectors/with-dependencies/*.json", os.Getenv)
}

func runVectors(t *testing.T, pattern string, getenv func(string) string) {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("no vectors found: %v", err)
	}
	for _, file := range files {
		router := newRouter(t, getenv)
		for _, v := range readStrictly[vector](t, file) {
			t.Run(filepath.Base(file)+"/"+v.Name, func(t *testing.T) {
				request := httptest.NewRequest(v.Request.Method, v.Request.Path, v.body(t))
				for name, value := range v.Request.Headers {
					request.Header.Set(name, value)
				}
				answer := httptest.NewRecorder()
				router.ServeHTTP(answer, request)
				v.check(t, answer)
			})
		}
	}
}

func newRouter(t testing.TB, getenv func(string) string) *gin.Engine {
	t.Helper()
	cfg, err := config.Read(getenv)
	if err != nil {
		t.Fatal(err)
	}
	router, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return router
}

// routerWith is of an environment of NAME=value.
func routerWith(t testing.TB, variables ...string) *gin.Engine {
	t.Helper()
	return newRouter(t, func(asked string) string {
		for _, variable := range variables {
			if name, value, _ := strings.Cut(variable, "="); name == asked {
				return value
			}
		}
		return ""
	})
}

func TestErrorsAreThoseOfTheContract(t *testing.T) {
	type row struct {
		Code    string `json:"code"`
		Status  int    `json:"status"`
		Message string `json:"message"`
	}
	var got []row
	for _, e := range []apiError{
		errInvalidJSON, errUnreadableBody, errNotFound, errUserNotFound, errMethodNotAllowed, errRequestTimeout,
		errBodyTooLarge, errUnsupportedMediaType, errInvalidEcho, errInvalidDocument, errInvalidExperiment,
		errInvalidInput, errInvalidFor, errInvalidID, errInvalidCache, errInvalidCalls, errInvalidHash, errInvalidPath,
		errInternal, errFault, errDatabaseUnavailable, errCacheUnavailable, errUpstreamUnavailable,
		errDatabaseTimeout, errCacheTimeout, errUpstreamTimeout,
	} {
		got = append(got, row{e.code, e.status, e.message})
	}
	if wanted := readStrictly[row](t, "../../../contract/errors.json"); !slices.Equal(got, wanted) {
		t.Errorf("got\n%v\nnot\n%v", got, wanted)
	}
}

func TestErrorsOfOtherPackagesAreAnsweredInTheContractsWords(t *testing.T) {
	for _, c := range []struct {
		err    error
		wanted apiError
	}{
		{errInvalidID, errInvalidID},
		{fmt.Errorf("wrapped: %w", errInvalidID), errInvalidID},
		{store.ErrNotFound, errUserNotFound},
		{fmt.Errorf("%w: %w", store.ErrTimeout, context.DeadlineExceeded), errDatabaseTimeout},
		{store.ErrUnavailable, errDatabaseUnavailable},
		{cache.ErrTimeout, errCacheTimeout},
		{cache.ErrUnavailable, errCacheUnavailable},
		{upstream.ErrTimeout, errUpstreamTimeout},
		{upstream.ErrStatus, errUpstreamUnavailable},
		{upstream.ErrUnreachable, errUpstreamUnavailable},
		{errors.New("anything else"), errInternal},
	} {
		if got := asAPIError(c.err); got != c.wanted {
			t.Errorf("%v: %v, not %v", c.err, got, c.wanted)
		}
	}
}

func readStrictly[T any](t testing.TB, file string) []T {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	var cases []T
	if err := decoder.Decode(&cases); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return cases
}

func (v vector) body(t testing.TB) io.Reader {
	t.Helper()
	var body bytes.Buffer
	if v.Request.Body != nil {
		if err := json.Compact(&body, v.Request.Body); err != nil {
			t.Fatal(err)
		}
	}
	body.WriteString(v.Request.BodyText)
	for _, raw := range v.Request.BodyBytes {
		var text string
		if json.Unmarshal(raw, &text) == nil {
			body.WriteString(text)
			continue
		}
		var part struct {
			Repeat string `json:"repeat"`
			Times  int    `json:"times"`
			Hex    string `json:"hex"`
		}
		if err := json.Unmarshal(raw, &part); err != nil {
			t.Fatal(err)
		}
		decoded, err := hex.DecodeString(part.Hex)
		if err != nil {
			t.Fatal(err)
		}
		body.WriteString(strings.Repeat(part.Repeat, part.Times))
		body.Write(decoded)
	}
	return &body
}

func (v vector) check(t *testing.T, answer *httptest.ResponseRecorder) {
	t.Helper()
	if answer.Code != v.Expect.Status {
		t.Errorf("status %d, not %d", answer.Code, v.Expect.Status)
	}
	for name, wanted := range v.Expect.Headers {
		if got := answer.Header().Get(name); got != wanted {
			t.Errorf("header %s is %q, not %q", name, got, wanted)
		}
	}
	got := answer.Body.String()
	if v.Expect.Text != nil {
		if wanted := fillIn(*v.Expect.Text, got); got != wanted {
			t.Errorf("body\n  %s\nnot\n  %s", got, wanted)
		}
	}
	if v.Expect.JSON != nil {
		var value any
		if err := json.Unmarshal([]byte(got), &value); err != nil || !matches(t, v.Expect.JSON, value) {
			t.Errorf("body\n  %s\nnot like\n  %v", got, v.Expect.JSON)
		}
	}
	for _, part := range v.Expect.Contains {
		if !strings.Contains(got, part) {
			t.Errorf("body\n  %s\nwithout %q", got, part)
		}
	}
}

var timestamp = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z`)

// fillIn is the expected text with its placeholders replaced: the time by the answer's own, if it has one.
func fillIn(wanted, got string) string {
	wanted = strings.ReplaceAll(wanted, "$service", serviceName)
	if found := timestamp.FindString(got); found != "" {
		wanted = strings.ReplaceAll(wanted, "$timestamp", found)
	}
	return wanted
}

func matches(t *testing.T, wanted, got any) bool {
	t.Helper()
	switch wanted := wanted.(type) {
	case map[string]any:
		object, ok := got.(map[string]any)
		if !ok || len(object) != len(wanted) {
			return false
		}
		for key, value := range wanted {
			member, ok := object[key]
			if !ok || !matches(t, value, member) {
				return false
			}
		}
		return true
	case []any:
		array, ok := got.([]any)
		if !ok || len(array) != len(wanted) {
			return false
		}
		for i, value := range wanted {
			if !matches(t, value, array[i]) {
				return false
			}
		}
		return true
	case string:
		if !strings.HasPrefix(wanted, "$") {
			return wanted == got
		}
		switch wanted {
		case "$any-string":
			_, ok := got.(string)
			return ok
		case "$count":
			n, ok := got.(float64)
			return ok && n >= 0 && n == float64(uint64(n))
		}
		t.Fatalf("unknown placeholder %s", wanted)
	}
	return reflect.DeepEqual(wanted, got)
}

func TestAPanicIsAnAnswerAndCounted(t *testing.T) {
	s := service{metrics: newMetrics()}
	router := s.router()
	s.add(router, http.MethodGet, "/panic", func(*gin.Context) error { panic("on purpose") })
	answer := httptest.NewRecorder()
	router.ServeHTTP(answer, httptest.NewRequest("GET", "/panic", nil))
	const wanted = `{"error":{"code":"internal","message":"the service failed"}}`
	if answer.Code != 500 || answer.Body.String() != wanted {
		t.Errorf("got %d %s", answer.Code, answer.Body)
	}
	answer = httptest.NewRecorder()
	router.ServeHTTP(answer, httptest.NewRequest("GET", "/metrics", nil))
	if !strings.Contains(answer.Body.String(), `{route="/panic",status="500",le="+Inf"} 1`) {
		t.Error("not counted")
	}
}

func TestAnAnswerIsTwiceTheRequest(t *testing.T) {
	for _, size := range []int{256, 512, 1024, bodyLimit} {
		frame := `{"id":1,"user_agent":"%s","metadata":[]}`
		body := fmt.Sprintf(frame, strings.Repeat("u", size-len(frame)+2))
		request := httptest.NewRequest("POST", "/echo", strings.NewReader(body))
		request.Header.Set("Content-Type", gin.MIMEJSON)
		answer := httptest.NewRecorder()
		routerWith(t).ServeHTTP(answer, request)
		// One less, because "gin-api" is one shorter than "axum-api".
		if got := answer.Body.Len(); len(body) != size || got != 2*size-1 {
			t.Errorf("%d bytes in, %d out", len(body), got)
		}
	}
}
