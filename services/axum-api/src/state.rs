//! What every handler may use. Cheap to clone.

use std::sync::Arc;
use std::time::Duration;

use thiserror::Error;

use crate::cache::Cache;
use crate::config::Config;
use crate::database::Database;
use crate::error::ApiError;
use crate::fault::Faults;
use crate::metrics::Metrics;
use crate::upstream::Upstream;

#[derive(Debug, Clone)]
pub struct AppState {
    pub metrics: Arc<Metrics>,
    pub faults: Option<Arc<Faults>>,
    /// How long a request body may take to arrive.
    pub request_timeout: Duration,
    pub echo_zero_copy: bool,
    pub process_blocking_pool: bool,
    /// None of these three: not configured.
    pub database: Option<Database>,
    pub cache: Option<Cache>,
    pub upstream: Option<Upstream>,
}

#[derive(Debug, Error)]
pub enum StateError {
    #[error("cannot set up the metrics")]
    Metrics(#[from] prometheus::Error),
    #[error("cannot set up the client of the upstream")]
    Upstream(#[from] reqwest::Error),
}

impl AppState {
    /// Connects to nothing before it is used, except that the database's pool starts to fill in the background:
    /// to be called on the runtime.
    pub fn new(config: Config) -> Result<Self, StateError> {
        let database_timeout = Duration::from_millis(config.database_timeout_ms);
        let redis_timeout = Duration::from_millis(config.redis_timeout_ms);
        let upstream_timeout = Duration::from_millis(config.upstream_timeout_ms);
        let upstream = config.upstream_url;
        Ok(Self {
            metrics: Arc::new(Metrics::new()?),
            faults: config
                .tailgate_faults
                .map(|plan| Arc::new(Faults::new(plan))),
            request_timeout: Duration::from_millis(config.request_timeout_ms),
            echo_zero_copy: config.echo_zero_copy,
            process_blocking_pool: config.process_blocking_pool,
            database: config
                .database_url
                .map(|options| Database::new(options, config.database_pool, database_timeout)),
            cache: config
                .redis_url
                .map(|client| Cache::new(client, redis_timeout, config.cache_ttl_s)),
            upstream: upstream
                .map(|base| Upstream::new(base, upstream_timeout))
                .transpose()?,
        })
    }

    pub fn database(&self) -> Result<&Database, ApiError> {
        self.database.as_ref().ok_or(ApiError::DatabaseUnavailable)
    }

    pub fn cache(&self) -> Result<&Cache, ApiError> {
        self.cache.as_ref().ok_or(ApiError::CacheUnavailable)
    }

    pub fn upstream(&self) -> Result<&Upstream, ApiError> {
        self.upstream.as_ref().ok_or(ApiError::UpstreamUnavailable)
    }
}
