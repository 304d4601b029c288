//! The reference service on axum. `app` is the whole service without a socket; `serve` puts it on one.

#![cfg_attr(not(test), warn(clippy::unwrap_used))]

pub mod body;
pub mod config;
pub mod error;
pub mod fault;
pub mod metrics;
pub mod query;
pub mod routes;
pub mod serve;
pub mod state;

use std::sync::Arc;

use axum::Router;
use axum::middleware::from_fn_with_state;
use axum::response::IntoResponse;
use tower_http::catch_panic::CatchPanicLayer;

use crate::error::ApiError;
use crate::fault::Faults;
use crate::routes::{echo, health, process};
use crate::state::AppState;

/// All routes. Without faults there is no fault layer at all, so they cost nothing when off.
pub fn app(state: AppState, faults: Option<&Arc<Faults>>) -> Router {
    let worsened = |path, router| fault::layer(path, router, faults);
    Router::new()
        .merge(health::router())
        .merge(worsened(echo::PATH, echo::router()))
        .merge(worsened(process::PATH, process::router()))
        .fallback(async || ApiError::NotFound)
        .method_not_allowed_fallback(async || ApiError::MethodNotAllowed)
        .layer(CatchPanicLayer::custom(|_| {
            ApiError::Internal.into_response()
        }))
        .layer(from_fn_with_state(state.clone(), metrics::observe))
        .with_state(state)
}
