//! `GET /healthz` and `GET /metrics`: for the operator, never slowed by faults.

use axum::Json;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use futures_util::future::OptionFuture;
use serde_json::{Value, json};

use crate::cache::Cache;
use crate::database::Database;
use crate::error::ApiError;
use crate::state::AppState;
use crate::upstream::Upstream;

/// Asks all that is configured at the same time; the first in the contract's order that fails is told.
pub async fn healthz(State(state): State<AppState>) -> Result<Json<Value>, ApiError> {
    let (database, cache, upstream) = tokio::join!(
        OptionFuture::from(state.database.as_ref().map(Database::check)),
        OptionFuture::from(state.cache.as_ref().map(Cache::check)),
        OptionFuture::from(state.upstream.as_ref().map(Upstream::check)),
    );
    for answer in [database, cache, upstream].into_iter().flatten() {
        answer?;
    }
    Ok(Json(json!({ "status": "ok" })))
}

pub async fn metrics(State(state): State<AppState>) -> Result<Response, ApiError> {
    let text = state.metrics.render().map_err(|_| ApiError::Internal)?;
    Ok(([(CONTENT_TYPE, prometheus::TEXT_FORMAT)], text).into_response())
}
