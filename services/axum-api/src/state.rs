//! What every handler may use. Cheap to clone.

use std::sync::Arc;
use std::time::Duration;

use crate::cache::Cache;
use crate::config::Config;
use crate::database::Database;
use crate::error::ApiError;
use crate::metrics::Metrics;
use crate::upstream::Upstream;

#[derive(Debug, Clone)]
pub struct AppState {
    pub metrics: Arc<Metrics>,
    /// How long a request body may take to arrive.
    pub request_timeout: Duration,
    pub echo_zero_copy: bool,
    pub process_blocking_pool: bool,
    /// None of these three: not configured.
    pub database: Option<Database>,
    pub cache: Option<Cache>,
    pub upstream: Option<Upstream>,
}

impl AppState {
    /// Connects to nothing before it is used, except that the database's pool starts to fill in the background:
    /// to be called on the runtime.
    pub fn new(config: &Config) -> Result<Self, String> {
        let database =
            |options| Database::new(options, config.database_pool, config.database_timeout);
        let cache = |client| Cache::new(client, config.redis_timeout, config.cache_ttl_s);
        let upstream = |base| Upstream::new(base, config.upstream_timeout);
        let upstream = config.upstream_url.clone().map(upstream).transpose();
        Ok(Self {
            metrics: Arc::new(Metrics::new().map_err(|error| error.to_string())?),
            request_timeout: config.request_timeout,
            echo_zero_copy: config.echo_zero_copy,
            process_blocking_pool: config.process_blocking_pool,
            database: config.database_url.clone().map(database),
            cache: config.redis_url.clone().map(cache),
            upstream: upstream.map_err(|error| error.to_string())?,
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
