//! The reference service on axum. `app` is the whole service without a socket; `serve` puts it on one.

#![cfg_attr(not(test), warn(clippy::unwrap_used))]

pub mod cache;
pub mod config;
pub mod database;
pub mod error;
pub mod extract;
pub mod fault;
pub mod metrics;
pub mod paths;
pub mod routes;
pub mod serve;
pub mod state;
pub mod upstream;

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Instant;

use axum::Router;
use axum::extract::{MatchedPath, Request, State};
use axum::http::StatusCode;
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use futures_util::FutureExt;

use crate::error::ApiError;
use crate::metrics::Metrics;
use crate::routes::{documents, echo, experiments, fanout, health, hello, process, summary, users};
use crate::state::AppState;

/// All routes. Without faults there is no fault layer at all, so they cost nothing when off.
pub fn app(state: AppState) -> Router {
    let mut app = Router::new()
        .route(paths::HEALTHZ, get(health::healthz))
        .route(paths::METRICS, get(health::metrics));
    for (path, route) in [
        (paths::ECHO, post(echo::echo)),
        (paths::PROCESS, get(process::process)),
        (paths::EXPERIMENTS, post(experiments::experiments)),
        (paths::HELLO, get(hello::hello)),
        (paths::DOCUMENTS, post(documents::documents)),
        (paths::USER, get(users::user)),
        (paths::SUMMARY, get(summary::summary)),
        (paths::FANOUT, get(fanout::fanout)),
    ] {
        let route = match &state.faults {
            Some(faults) if faults.plan().covers(path) => {
                route.route_layer(from_fn_with_state(Arc::clone(faults), fault::inject))
            }
            _ => route,
        };
        app = app.route(paths::to_axum(path), route);
    }
    finish(app, state)
}

/// What is the same for all routes: the answers of unmatched requests, and the middleware.
fn finish(router: Router<AppState>, state: AppState) -> Router {
    router
        .fallback(async || ApiError::NotFound)
        .method_not_allowed_fallback(async || ApiError::MethodNotAllowed)
        .layer(from_fn_with_state(Arc::clone(&state.metrics), observe))
        .with_state(state)
}

/// Times each request. A panic is an answer and counts as one; catching it here and not in a layer of its own
/// spares every request a boxed service and a boxed body.
async fn observe(State(metrics): State<Arc<Metrics>>, request: Request, next: Next) -> Response {
    let started = Instant::now();
    let matched = request.extensions().get::<MatchedPath>().cloned();
    let answer = AssertUnwindSafe(next.run(request)).catch_unwind().await;
    let response = answer.unwrap_or_else(|_| ApiError::Internal.into_response());
    let status = response.status();
    let route = matched
        .as_ref()
        .filter(|_| status != StatusCode::METHOD_NOT_ALLOWED)
        .map(|path| paths::from_axum(path.as_str()));
    metrics.observe(route, status.as_str(), started.elapsed());
    response
}

#[cfg(test)]
mod tests {
    use axum::body::{Body, to_bytes};
    use tower::ServiceExt;

    use super::*;
    use crate::config::Config;

    fn state() -> AppState {
        AppState::new(Config::from_args([""; 0]).unwrap()).unwrap()
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
            let response = app(state()).oneshot(request).await.unwrap();
            let body = to_bytes(response.into_body(), usize::MAX).await.unwrap();
            assert_eq!(body.len(), 2 * size);
        }
    }
}
