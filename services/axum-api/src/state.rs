//! What every handler may use. Cheap to clone; connection pools of later routes belong here.

use std::sync::Arc;
use std::time::Duration;

use crate::metrics::Metrics;

#[derive(Debug, Clone)]
pub struct AppState {
    pub metrics: Arc<Metrics>,
    /// How long a request body may take to arrive.
    pub request_timeout: Duration,
}
