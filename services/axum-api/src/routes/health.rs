//! `GET /healthz` and `GET /metrics`: for the operator, never slowed by faults.

use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use serde::Serialize;

use crate::error::ApiError;
use crate::state::AppState;

pub fn router() -> Router<AppState> {
    Router::new()
        .route("/healthz", get(healthz))
        .route("/metrics", get(metrics))
}

#[derive(Serialize)]
struct Health {
    status: &'static str,
}

async fn healthz() -> Json<Health> {
    Json(Health { status: "ok" })
}

async fn metrics(State(state): State<AppState>) -> Result<Response, ApiError> {
    let text = state.metrics.render().map_err(|_| ApiError::Internal)?;
    Ok(([(CONTENT_TYPE, prometheus::TEXT_FORMAT)], text).into_response())
}
