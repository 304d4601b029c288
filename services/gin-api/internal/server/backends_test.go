package server

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gin-gonic/gin"

	"github.com/tailgate/tailgate/services/gin-api/internal/store"
	"github.com/tailgate/tailgate/services/gin-api/internal/upstream"
)

// Backends that are missing, refuse, or never answer. Those that answer are in TestVectorsWithDependencies.

const (
	databaseURL = "DATABASE_URL=postgresql://u@%s/d?sslmode=disable"
	redisURL    = "REDIS_URL=redis://%s/0"
	upstreamURL = "UPSTREAM_URL=http://%s"
)

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

func TestRoutesAndStatusesAreCounted(t *testing.T) {
	router := routerWith(t)
	for path, status := range map[string]int{
		"/hello/a": 200, "/users/0": 422, "/users/x/summary": 422, "/users/1/nothing": 404, "/users": 404, "/echo": 405,
	} {
		if got, _ := ask(router, "GET", path); got != status {
			t.Errorf("%s: status %d, not %d", path, got, status)
		}
	}
	answer := httptest.NewRecorder()
	router.ServeHTTP(answer, httptest.NewRequest("GET", "/metrics", nil))
	for _, line := range []string{
		`{route="/hello/{path}",status="200",le="+Inf"} 1`,
		`{route="/users/{id}",status="422",le="+Inf"} 1`,
		`{route="/users/{id}/summary",status="422",le="+Inf"} 1`,
		`{route="unmatched",status="404",le="+Inf"} 2`,
		`{route="unmatched",status="405",le="+Inf"} 1`,
	} {
		if !strings.Contains(answer.Body.String(), line) {
			t.Errorf("no %s", line)
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

func TestHealthAsksAllAlsoWhenOneFails(t *testing.T) {
	var asked atomic.Bool
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Store(true) }))
	defer server.Close()
	router := routerWith(t, fmt.Sprintf(redisURL, refusing(t)), "UPSTREAM_URL="+server.URL)
	expectBody(t, router, "/healthz", 503, "cache_unavailable")
	if !asked.Load() {
		t.Error("the upstream was not asked")
	}
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
		case "/healthz", "/value/0", "/value/6":
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
			http.Redirect(w, r, "/value/0", http.StatusFound)
		}
	}))
	defer server.Close()
	defer close(gone)
	router := routerWith(t, "UPSTREAM_URL="+server.URL, "UPSTREAM_TIMEOUT_MS=200")
	expectBody(t, router, "/healthz", 200, "ok")
	expectBody(t, router, "/fanout?calls=7", 200, `{"calls":7,"succeeded":2,"failed":5,"sum":84,"results":[`+
		`{"call":0,"value":42},{"call":1,"error":"timeout"},{"call":2,"error":"status"},{"call":3,"error":"body"},`+
		`{"call":4,"error":"unreachable"},{"call":5,"error":"status"},{"call":6,"value":42}]}`)
	expectBody(t, router, "/fanout?calls=1", 200, `{"calls":1,"succeeded":1,"failed":0,"sum":42,"results":[{"call":0,"value":42}]}`)
}

func TestFanOutWithoutAnySuccess(t *testing.T) {
	timeout := callResult{Error: upstream.ErrTimeout.Error()}
	status := callResult{Error: upstream.ErrStatus.Error()}
	for _, c := range []struct {
		results []callResult
		wanted  error
	}{
		{[]callResult{timeout, timeout}, errUpstreamTimeout},
		{[]callResult{timeout, status}, errUpstreamUnavailable},
	} {
		if _, err := sumUp(c.results); !errors.Is(err, c.wanted) {
			t.Errorf("%v: %v, not %v", c.results, err, c.wanted)
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
	orders := []store.Order{
		{ID: 7, PlacedAt: at("2024-04-01T00:00:00+02:00")}, // still March in UTC
		{ID: 9, PlacedAt: at("2023-12-31T23:59:59Z")},
		{ID: 3, PlacedAt: at("2024-03-01T00:00:00Z")},
		{ID: 1, PlacedAt: at("2024-02-01T00:00:00Z")},
	}
	items := []store.Item{
		{OrderID: 3, Quantity: 2, UnitPriceCents: 50},
		{OrderID: 7, Quantity: 1, UnitPriceCents: 100},
		{OrderID: 9, Quantity: 3, UnitPriceCents: 1},
		{OrderID: 3, Quantity: 0, UnitPriceCents: 10},
	}
	for _, c := range []struct {
		purchases store.Purchases
		wanted    string
	}{
		{store.Purchases{Name: "n", Orders: orders, Items: items},
			`{"id":5,"name":"n","orders":4,"items":6,"total_cents":203,"largest_order":{"id":3,"total_cents":100},` +
				`"months":[{"month":"2023-12","orders":1,"items":3,"total_cents":3},` +
				`{"month":"2024-02","orders":1,"items":0,"total_cents":0},` +
				`{"month":"2024-03","orders":2,"items":3,"total_cents":200}]}`},
		{store.Purchases{Name: "n"},
			`{"id":5,"name":"n","orders":0,"items":0,"total_cents":0,"largest_order":null,"months":[]}`},
	} {
		got, err := encodeJSON(summarize(5, c.purchases))
		if err != nil || string(got) != c.wanted {
			t.Errorf("got\n%s, %v\nnot\n%s", got, err, c.wanted)
		}
	}
}
