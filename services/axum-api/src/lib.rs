//! The reference service on axum. `app` is the whole service without a socket; `serve` puts it on one.

#![cfg_attr(not(test), warn(clippy::unwrap_used))]

pub mod body;
pub mod cache;
pub mod config;
pub mod database;
pub mod error;
pub mod fault;
pub mod metrics;
pub mod query;
pub mod routes;
pub mod serve;
pub mod state;
pub mod upstream;

use std::sync::Arc;

use axum::Router;
use axum::middleware::from_fn_with_state;
use axum::routing::any;

use crate::error::ApiError;
use crate::fault::Faults;
use crate::routes::{documents, echo, experiments, fanout, health, hello, process, summary, users};
use crate::state::AppState;

/// All routes. Without faults there is no fault layer at all, so they cost nothing when off.
pub fn app(state: AppState, faults: Option<&Arc<Faults>>) -> Router {
    let worsened = |path, router| fault::layer(path, router, faults);
    let n_plus_one = faults.map_or(0, |faults| faults.plan().n_plus_one());
    let routes = Router::new()
        .merge(health::router())
        .merge(worsened(echo::PATH, echo::router()))
        .merge(worsened(process::PATH, process::router()))
        .merge(worsened(experiments::PATH, experiments::router()))
        .merge(worsened(hello::PATH, hello::router()))
        .merge(worsened(documents::PATH, documents::router()))
        .merge(worsened(users::PATH, users::router()))
        .merge(worsened(summary::PATH, summary::router(n_plus_one)))
        .merge(worsened(fanout::PATH, fanout::router()));
    finish(routes, state)
}

/// What is the same for all routes: the answers of unmatched requests, and the middleware.
fn finish(routes: Router<AppState>, state: AppState) -> Router {
    routes
        .route(summary::WITHOUT_ID, any(async || ApiError::NotFound))
        .fallback(async || ApiError::NotFound)
        .method_not_allowed_fallback(async || ApiError::MethodNotAllowed)
        .layer(from_fn_with_state(
            Arc::clone(&state.metrics),
            metrics::observe,
        ))
        .with_state(state)
}

#[cfg(test)]
mod tests {
    use axum::body::{Body, to_bytes};
    use axum::extract::Request;
    use axum::http::StatusCode;
    use axum::routing::get;
    use tower::ServiceExt;

    use super::*;
    use crate::config::Config;

    fn state() -> AppState {
        AppState::new(&Config::read(|_| None).unwrap()).unwrap()
    }

    #[tokio::test]
    async fn a_panic_is_an_answer() {
        let route = get(async || -> StatusCode { panic!("on purpose") });
        let app = finish(Router::new().route("/panic", route), state());
        let request = Request::get("/panic").body(Body::empty()).unwrap();
        let response = app.oneshot(request).await.unwrap();
        assert_eq!(response.status(), StatusCode::INTERNAL_SERVER_ERROR);
        let body = to_bytes(response.into_body(), 1024).await.unwrap();
        let expected = r#"{"error":{"code":"internal","message":"the service failed"}}"#;
        assert_eq!(body, expected);
    }

    #[tokio::test]
    async fn an_answer_is_twice_the_request() {
        for size in [256, 512, 1024, 65_536] {
            let frame = r#"{"id":1,"user_agent":"","metadata":[]}"#;
            let user_agent = "u".repeat(size - frame.len());
            let body = frame.replace(r#""","#, &format!(r#""{user_agent}","#));
            assert_eq!(body.len(), size);
            let request = Request::post("/echo")
                .header("content-type", "application/json")
                .body(Body::from(body))
                .unwrap();
            let response = app(state(), None).oneshot(request).await.unwrap();
            let body = to_bytes(response.into_body(), usize::MAX).await.unwrap();
            assert_eq!(body.len(), 2 * size);
        }
    }
}
