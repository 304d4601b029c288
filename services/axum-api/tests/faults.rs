//! Each fault as a client sees it, without a socket. Those that concern the process are in process.rs.

use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use axum::http::{Request, StatusCode};
use axum_api::app;
use axum_api::config::Config;
use axum_api::state::AppState;
use tower::ServiceExt;

const MILLISECOND: Duration = Duration::from_millis(1);

fn faulty(spec: &str) -> Router {
    let config = Config::from_args([format!("--tailgate-faults={spec}")]).unwrap();
    app(AppState::new(config).unwrap())
}

async fn get(app: &Router, path: &str) -> (StatusCode, Duration) {
    let request = Request::get(path).body(Body::empty()).unwrap();
    let started = Instant::now();
    let response = app.clone().oneshot(request).await.unwrap();
    (response.status(), started.elapsed())
}

/// A request that is refused before any work, so that only the fault takes time.
async fn refused(app: &Router) -> Duration {
    let (status, took) = get(app, "/process").await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY);
    took
}

async fn fastest_refused(app: &Router) -> Duration {
    let mut fastest = Duration::MAX;
    for _ in 0..20 {
        fastest = fastest.min(refused(app).await);
    }
    fastest
}

#[tokio::test]
async fn latency_is_exact_below_and_above_the_timer() {
    for us in [300, 2_000, 3_500] {
        let wanted = Duration::from_micros(us);
        let got = fastest_refused(&faulty(&format!("latency_us={us}"))).await;
        assert!(got >= wanted, "{got:?} is less than {wanted:?}");
        assert!(got < wanted + MILLISECOND / 2, "{got:?} for {wanted:?}");
    }
}

#[tokio::test]
async fn every_nth_request_is_slow() {
    let app = faulty("slow_one_in=3,slow_us=4000");
    let mut slow = Vec::new();
    for nth in 1..=6 {
        if refused(&app).await >= 4 * MILLISECOND {
            slow.push(nth);
        }
    }
    // Another request may be slow by itself on a busy machine; these must be.
    assert!(slow.contains(&3) && slow.contains(&6), "{slow:?}");
    assert!(slow.len() < 6, "{slow:?}");
}

#[tokio::test]
async fn cpu_is_burnt() {
    let got = fastest_refused(&faulty("cpu_us=700")).await;
    assert!(got >= Duration::from_micros(700), "{got:?}");
    assert!(got < 2 * MILLISECOND, "{got:?}");
}

#[tokio::test]
async fn stalls_hold_requests_up_and_end() {
    let app = faulty("stall_every_ms=30,stall_us=12000");
    let started = Instant::now();
    let mut longest = Duration::ZERO;
    let mut shortest = Duration::MAX;
    while started.elapsed() < 100 * MILLISECOND {
        let took = refused(&app).await;
        longest = longest.max(took);
        shortest = shortest.min(took);
    }
    assert!(longest >= 10 * MILLISECOND, "{longest:?}");
    assert!(shortest < MILLISECOND, "{shortest:?}");
}

#[tokio::test]
async fn every_nth_request_fails() {
    let app = faulty("error_one_in=2");
    let mut statuses = Vec::new();
    for _ in 0..4 {
        statuses.push(get(&app, "/process").await.0.as_u16());
    }
    assert_eq!(statuses, [422, 500, 422, 500]);
}

#[tokio::test]
async fn only_the_named_route_is_worse() {
    let app = faulty("route=/echo,error_one_in=1");
    let echo = Request::post("/echo").body(Body::empty()).unwrap();
    let status = app.clone().oneshot(echo).await.unwrap().status();
    assert_eq!(status, StatusCode::INTERNAL_SERVER_ERROR);
    refused(&app).await;
}

#[tokio::test]
async fn the_operators_routes_and_unmatched_requests_are_spared() {
    let app = faulty("error_one_in=1");
    assert_eq!(get(&app, "/healthz").await.0, StatusCode::OK);
    assert_eq!(get(&app, "/metrics").await.0, StatusCode::OK);
    assert_eq!(get(&app, "/nowhere").await.0, StatusCode::NOT_FOUND);
    assert_eq!(get(&app, "/echo").await.0, StatusCode::METHOD_NOT_ALLOWED);
}

#[tokio::test]
async fn routes_are_named_by_their_patterns() {
    for (route, path) in [
        ("/hello/{path}", "/hello/a/b"),
        ("/users/{id}", "/users/1"),
        ("/users/{id}/summary", "/users/1/summary"),
        ("/fanout", "/fanout"),
    ] {
        let app = faulty(&format!("route={route},error_one_in=1"));
        let (status, _) = get(&app, path).await;
        assert_eq!(status, StatusCode::INTERNAL_SERVER_ERROR, "{path}");
        refused(&app).await;
    }
}
