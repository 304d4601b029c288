package server

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/gin-gonic/gin"
)

// Backends that are missing, refuse, or never answer. Those that answer are in TestVectorsWithDependencies.

const (
	databaseURL = "DATABASE_URL=postgresql://u@%s/d?sslmode=disable"
	redisURL    = "REDIS_URL=redis://%s/0"
	upstreamURL = "UPSTREAM_URL=http://%s"
)

func routerWith(t *testing.T, variables ...string) *gin.Engine {
	t.Helper()
	return NewRouter(nil, backendsOf(t, func(asked string) string {
		for _, variable := range variables {
			if name, value, _ := strings.Cut(variable, "="); name == asked {
				return value
			}
		}
		return ""
	}))
}

func expectBody(t *testing.T, router *gin.Engine, path string, status int, part string) {
	t.Helper()
	answer := httptest.NewRecorder()
	started := time.Now()
	router.ServeHTTP(answer, httptest.NewRequest("GET", path, nil))
	if answer.Code != status || !strings.Contains(answer.Body.String(), part) {
		t.Errorf("%s: %d %s, not %d with %s", path, answer.Code, answer.Body, status, part)
	}
	if took := time.Since(started); took > 2*time.Second {
		t.Errorf("%s took %v", path, took)
	}
}

// silent accepts connections and never says anything.
func silent(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			// Until the other side gives up.
			go func() {
				io.Copy(io.Discard, conn)
				conn.Close()
			}()
		}
	}()
	return listener.Addr().String()
}

// refusing is an address where nobody listens.
func refusing(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

func TestBackendsThatAreNotConfigured(t *testing.T) {
	router := routerWith(t)
	expectBody(t, router, "/healthz", 200, "ok")
	expectBody(t, router, "/users/1", 503, "database_unavailable")
	expectBody(t, router, "/users/1?cache=false", 503, "database_unavailable")
	expectBody(t, router, "/users/1?cache=true", 503, "cache_unavailable")
	expectBody(t, router, "/users/1/summary", 503, "database_unavailable")
	expectBody(t, router, "/fanout", 503, "upstream_unavailable")
}

func TestParametersComeBeforeBackends(t *testing.T) {
	router := routerWith(t)
	for path, code := range map[string]string{
		"/users/0":                    "invalid_id",
		"/users/01":                   "invalid_id",
		"/users/+1":                   "invalid_id",
		"/users/%31":                  "invalid_id",
		"/users/9223372036854775808":  "invalid_id",
		"/users/0?cache=no":           "invalid_id",
		"/users/0?cache=%":            "invalid_query",
		"/users/1?cache":              "invalid_cache",
		"/users/1?cache=True":         "invalid_cache",
		"/users/1?cache=true&cache=1": "invalid_cache",
		"/users/x/summary":            "invalid_id",
		"/users/x/summary?;":          "invalid_query",
		"/fanout?calls=0":             "invalid_calls",
		"/fanout?calls=101":           "invalid_calls",
		"/fanout?calls=01":            "invalid_calls",
		"/fanout?calls=":              "invalid_calls",
		"/fanout?calls=1&calls=1":     "invalid_calls",
	} {
		expectBody(t, router, path, 422, code)
	}
	for _, path := range []string{"/users", "/users/", "/users//summary", "/users/1/", "/users/1/summary/", "/users//"} {
		expectBody(t, router, path, 404, "not_found")
	}
	if status, _ := ask(router, "POST", "/users//summary"); status != 404 {
		t.Errorf("status %d", status)
	}
	answer := httptest.NewRecorder()
	router.ServeHTTP(answer, httptest.NewRequest("GET", "/metrics", nil))
	for line, wanted := range map[string]bool{
		`{route="unmatched",status="404",le="+Inf"} 7`:           true,
		`{route="/users/{id}/summary",status="422",le="+Inf"} 2`: true,
		`{route="/users/{id}/summary",status="404"`:              false,
	} {
		if strings.Contains(answer.Body.String(), line) != wanted {
			t.Errorf("%s is %v", line, !wanted)
		}
	}
}

func TestBackendsThatRefuse(t *testing.T) {
	addr := refusing(t)
	database, redis, upstream := fmt.Sprintf(databaseURL, addr), fmt.Sprintf(redisURL, addr), fmt.Sprintf(upstreamURL, addr)
	router := routerWith(t, database, redis, upstream)
	for range 30 { // more than any pool holds
		expectBody(t, router, "/users/1", 503, "database_unavailable")
		expectBody(t, router, "/users/1?cache=true", 503, "cache_unavailable")
		expectBody(t, router, "/fanout?calls=2", 503, "upstream_unavailable")
	}
	expectBody(t, router, "/healthz", 503, "database_unavailable")
	expectBody(t, routerWith(t, redis, upstream), "/healthz", 503, "cache_unavailable")
	expectBody(t, routerWith(t, upstream), "/healthz", 503, "upstream_unavailable")
}

func TestBackendsThatNeverAnswer(t *testing.T) {
	addr := silent(t)
	before := runtime.NumGoroutine()
	database, redis, upstream := fmt.Sprintf(databaseURL, addr), fmt.Sprintf(redisURL, addr), fmt.Sprintf(upstreamURL, addr)
	bounds := []string{"DATABASE_TIMEOUT_MS=50", "REDIS_TIMEOUT_MS=50", "UPSTREAM_TIMEOUT_MS=50", "DATABASE_POOL=2"}
	with := func(variables ...string) *gin.Engine { return routerWith(t, append(variables, bounds...)...) }
	router := with(database, redis, upstream)
	for range 4 {
		expectBody(t, router, "/users/1", 503, "database_unavailable")
		expectBody(t, router, "/users/1/summary", 503, "database_unavailable")
		expectBody(t, router, "/users/1?cache=true", 504, "cache_timeout")
		expectBody(t, router, "/fanout?calls=3", 504, "upstream_timeout")
	}
	expectBody(t, router, "/healthz", 503, "database_unavailable")
	expectBody(t, with(redis, upstream), "/healthz", 504, "cache_timeout")
	expectBody(t, with(upstream), "/healthz", 504, "upstream_timeout")

	// What is left is a few of each pool, not some for each request.
	const ofPools = 20
	for deadline := time.Now().Add(5 * time.Second); runtime.NumGoroutine() > before+ofPools; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), before)
		}
	}
}

func TestFanOutReportsEachCall(t *testing.T) {
	gone := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/healthz", "/value/0", "/value/7":
			io.WriteString(w, `{"value":42}`)
		case "/value/1":
			<-gone
		case "/value/2":
			w.WriteHeader(500)
		case "/value/3":
			io.WriteString(w, `{"value":-1}`)
		case "/value/4":
			panic(http.ErrAbortHandler)
		case "/value/5":
			http.Redirect(w, r, "/value/0", 302)
		case "/value/6":
			io.WriteString(w, `{"value":1}`+strings.Repeat(" ", valueBodyLimit))
		}
	}))
	defer server.Close()
	defer close(gone)
	router := routerWith(t, "UPSTREAM_URL="+server.URL, "UPSTREAM_TIMEOUT_MS=200")
	expectBody(t, router, "/healthz", 200, "ok")
	expectBody(t, router, "/fanout?calls=8", 200, `{"calls":8,"succeeded":2,"failed":6,"sum":84,"results":[`+
		`{"call":0,"value":42},{"call":1,"error":"timeout"},{"call":2,"error":"status"},{"call":3,"error":"body"},`+
		`{"call":4,"error":"unreachable"},{"call":5,"error":"status"},{"call":6,"error":"body"},{"call":7,"value":42}]}`)
	expectBody(t, router, "/fanout?calls=1", 200, `{"calls":1,"succeeded":1,"failed":0,"sum":42,"results":[{"call":0,"value":42}]}`)
}

func TestFanOutWithoutAnySuccess(t *testing.T) {
	timeout := callResult{Error: errCallTimeout.Error()}
	status := callResult{Error: errCallStatus.Error()}
	if _, apiErr := summed([]callResult{timeout, timeout}); apiErr != errUpstreamTimeout {
		t.Error(apiErr)
	}
	if _, apiErr := summed([]callResult{timeout, status}); apiErr != errUpstreamUnavailable {
		t.Error(apiErr)
	}
}

func TestValuesOfTheUpstream(t *testing.T) {
	for body, wanted := range map[string]bool{
		`{"value":0}`:                 true,
		` {"value":9007199254740991}`: true,
		`{"value":9007199254740992}`:  false,
		`{"value":-1}`:                false,
		`{"value":1.0}`:               false,
		`{"value":"1"}`:               false,
		`{"value":null}`:              false,
		`{"Value":1}`:                 false,
		`{"value":1,"x":1}`:           false,
		`{}`:                          false,
		`1`:                           false,
		``:                            false,
	} {
		if _, err := parseValue([]byte(body)); (err == nil) != wanted {
			t.Errorf("%s: %v", body, err)
		}
	}
}

func TestSummariesDoNotDependOnTheOrderOfRows(t *testing.T) {
	at := func(text string) time.Time {
		when, err := time.Parse(time.RFC3339, text)
		if err != nil {
			t.Fatal(err)
		}
		return when
	}
	orders := []order{
		{id: 7, placedAt: at("2024-04-01T00:00:00+02:00")}, // still March in UTC
		{id: 9, placedAt: at("2023-12-31T23:59:59Z")},
		{id: 3, placedAt: at("2024-03-01T00:00:00Z")},
		{id: 1, placedAt: at("2024-02-01T00:00:00Z")},
	}
	items := []item{{3, 2, 50}, {7, 1, 100}, {9, 3, 1}, {3, 0, 10}}
	got := string(encodeJSON(summaryOf(5, "n", orders, items)))
	const wanted = `{"id":5,"name":"n","orders":4,"items":6,"total_cents":203,"largest_order":{"id":3,"total_cents":100},` +
		`"months":[{"month":"2023-12","orders":1,"items":3,"total_cents":3},` +
		`{"month":"2024-02","orders":1,"items":0,"total_cents":0},` +
		`{"month":"2024-03","orders":2,"items":3,"total_cents":200}]}`
	if got != wanted {
		t.Errorf("got\n%s\nnot\n%s", got, wanted)
	}
	const none = `{"id":5,"name":"n","orders":0,"items":0,"total_cents":0,"largest_order":null,"months":[]}`
	if got := string(encodeJSON(summaryOf(5, "n", nil, nil))); got != none {
		t.Error(got)
	}
}
