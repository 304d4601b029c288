package server

import (
	"net/http"
	"regexp"
	"strconv"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// buckets are seconds, from below the fastest echo to beyond the longest /process; the same in both services.
var buckets = []float64{
	0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 2.5,
}

// unmatched is the route of what no handler answered, so that clients cannot invent labels.
const unmatched = "unmatched"

// runtimeMetrics picks from runtime/metrics: GC cycles and heap, allocations, memory by class, and pauses.
var runtimeMetrics = regexp.MustCompile(`^/(gc|memory/classes|sched/pauses)/`)

// metrics has a registry of its own, not the global one, so that tests do not see each other's requests.
type metrics struct {
	requests *prometheus.HistogramVec
	text     http.Handler
}

func newMetrics() *metrics {
	registry := prometheus.NewRegistry()
	m := &metrics{
		requests: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "http_request_duration_seconds",
			Help:    "Time from the routed request to the end of its handlers.",
			Buckets: buckets,
		}, []string{"route", "status"}),
		text: promhttp.HandlerFor(registry, promhttp.HandlerOpts{DisableCompression: true}),
	}
	registry.MustRegister(
		m.requests,
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		collectors.NewGoCollector(collectors.WithGoCollectorRuntimeMetrics(
			collectors.GoRuntimeMetricsRule{Matcher: runtimeMetrics},
		)),
	)
	return m
}

// observe is middleware that times the requests of a route into the histogram.
func (m *metrics) observe(route string) gin.HandlerFunc {
	requests := m.requests.MustCurryWith(prometheus.Labels{"route": route})
	return func(c *gin.Context) {
		started := time.Now()
		c.Next()
		requests.WithLabelValues(strconv.Itoa(c.Writer.Status())).Observe(time.Since(started).Seconds())
	}
}

func (m *metrics) answer(c *gin.Context) error {
	m.text.ServeHTTP(c.Writer, c.Request)
	return nil
}
