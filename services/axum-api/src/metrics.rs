//! The request histogram and the process's own figures, in the Prometheus text format.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Instant;

use axum::extract::{MatchedPath, Request, State};
use axum::http::StatusCode;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures_util::FutureExt;
use prometheus::process_collector::ProcessCollector;
use prometheus::{HistogramOpts, HistogramVec, Registry, TextEncoder};

use crate::error::ApiError;
use crate::routes;

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

    pub fn render(&self) -> prometheus::Result<String> {
        TextEncoder::new().encode_to_string(&self.registry.gather())
    }
}

/// Middleware: times each request into the histogram. A panic is an answer and counts as one; catching it here and not in a layer of
/// its own spares every request a boxed service and a boxed body.
pub async fn observe(
    State(metrics): State<Arc<Metrics>>,
    request: Request,
    next: Next,
) -> Response {
    let started = Instant::now();
    let matched = request.extensions().get::<MatchedPath>().cloned();
    let answer = AssertUnwindSafe(next.run(request)).catch_unwind().await;
    let response = answer.unwrap_or_else(|_| ApiError::Internal.into_response());
    let status = response.status();
    let route = matched
        .as_ref()
        .filter(|_| status != StatusCode::METHOD_NOT_ALLOWED)
        .and_then(|path| routes::pattern(path.as_str()))
        .unwrap_or(UNMATCHED);
    metrics
        .requests
        .with_label_values(&[route, status.as_str()])
        .observe(started.elapsed().as_secs_f64());
    response
}
