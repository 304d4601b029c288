package server

import (
	"net/http"
	"regexp"
	"strconv"
	"sync"
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
	registry *prometheus.Registry
	requests *prometheus.HistogramVec
	// routes has the label of each of gin's paths.
	routes map[string]string
	// series has the histogram of each answered, so that labels are looked up once and not with every request.
	series sync.Map
}

// answered is what is counted together.
type answered struct {
	route  string
	status int
}

func newMetrics() *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "http_request_duration_seconds",
			Help:    "Time from the routed request to the end of its handlers.",
			Buckets: buckets,
		}, []string{"route", "status"}),
	}
	m.registry.MustRegister(
		m.requests,
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		collectors.NewGoCollector(collectors.WithGoCollectorRuntimeMetrics(
			collectors.GoRuntimeMetricsRule{Matcher: runtimeMetrics},
		)),
	)
	return m
}

// nameRoutes must be called when all routes are there.
func (m *metrics) nameRoutes(routes gin.RoutesInfo) {
	m.routes = make(map[string]string, len(routes))
	for _, route := range routes {
		m.routes[route.Path] = contractSyntax.Replace(route.Path)
	}
}

// observe is middleware that times each request into the histogram.
func (m *metrics) observe(c *gin.Context) {
	started := time.Now()
	c.Next()
	route, ok := m.routes[c.FullPath()]
	if !ok || hasEmptyID(c) {
		route = unmatched
	}
	m.histogram(answered{route, c.Writer.Status()}).Observe(time.Since(started).Seconds())
}

func (m *metrics) histogram(of answered) prometheus.Observer {
	if known, ok := m.series.Load(of); ok {
		return known.(prometheus.Observer)
	}
	histogram := m.requests.WithLabelValues(of.route, strconv.Itoa(of.status))
	m.series.Store(of, histogram)
	return histogram
}

func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{DisableCompression: true})
}
