//! The request histogram and the process's own figures, in the Prometheus text format.

use std::time::Duration;

use prometheus::process_collector::ProcessCollector;
use prometheus::{HistogramOpts, HistogramVec, Registry, TextEncoder};

/// Seconds. From below the fastest echo to beyond the longest `/process`; the same in both services.
const BUCKETS: [f64; 14] = [
    0.000_05, 0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0,
    2.5,
];

/// The route label of what no handler answered (404 and 405), so that clients cannot invent labels.
const UNMATCHED: &str = "unmatched";

/// A registry per app, not the global one, so that tests do not see each other's requests.
#[derive(Debug)]
pub struct Metrics {
    registry: Registry,
    requests: HistogramVec,
}

impl Metrics {
    pub fn new() -> prometheus::Result<Self> {
        let requests = HistogramVec::new(
            HistogramOpts::new(
                "http_request_duration_seconds",
                "Time from the routed request to the head of its response.",
            )
            .buckets(BUCKETS.to_vec()),
            &["route", "status"],
        )?;
        let registry = Registry::new();
        registry.register(Box::new(requests.clone()))?;
        registry.register(Box::new(ProcessCollector::for_self()))?;
        Ok(Self { registry, requests })
    }

    /// No `route`: none answered.
    pub fn observe(&self, route: Option<&str>, status: &str, took: Duration) {
        self.requests
            .with_label_values(&[route.unwrap_or(UNMATCHED), status])
            .observe(took.as_secs_f64());
    }

    pub fn render(&self) -> prometheus::Result<String> {
        TextEncoder::new().encode_to_string(&self.registry.gather())
    }
}
