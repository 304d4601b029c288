//! What a client sees of servers that are down, silent or wrong, with listeners of our own in their place.

use std::time::{Duration, Instant};

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::Path;
use axum::http::{Request, StatusCode};
use axum::response::IntoResponse;
use axum::routing::get;
use axum_api::app;
use axum_api::config::Config;
use axum_api::state::AppState;
use tokio::io::AsyncReadExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;
use tower::ServiceExt;

/// Of each dependency, in these tests.
const TIMEOUT: Duration = Duration::from_millis(100);

fn service(args: &[String]) -> Router {
    let ms = TIMEOUT.as_millis();
    let timeouts = ["database", "redis", "upstream"].map(|of| format!("--{of}-timeout-ms={ms}"));
    let config = Config::from_args(args.iter().chain(&timeouts)).unwrap();
    app(AppState::new(config).unwrap())
}

fn database(addr: &str) -> String {
    format!("--database-url=postgresql://u@{addr}/d")
}

fn redis(addr: &str) -> String {
    format!("--redis-url=redis://{addr}/0")
}

fn upstream(addr: &str) -> String {
    format!("--upstream-url=http://{addr}")
}

/// One depending on all three, at the same address.
fn dependent(addr: &str) -> Router {
    service(&[database(addr), redis(addr), upstream(addr)])
}

async fn ask(app: &Router, path: &str) -> (StatusCode, String) {
    let request = Request::get(path).body(Body::empty()).unwrap();
    let response = app.clone().oneshot(request).await.unwrap();
    let status = response.status();
    let body = to_bytes(response.into_body(), usize::MAX).await.unwrap();
    (status, String::from_utf8(body.to_vec()).unwrap())
}

async fn check(app: &Router, path: &str, status: u16, code: &str) {
    let started = Instant::now();
    let (got, body) = ask(app, path).await;
    assert_eq!(got, status, "{path}: {body}");
    assert!(body.contains(&format!("\"{code}\"")), "{path}: {body}");
    assert!(started.elapsed() < 10 * TIMEOUT, "{path}");
}

async fn listen() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let addr = listener.local_addr().unwrap().to_string();
    (listener, addr)
}

/// An address where nothing listens.
async fn closed() -> String {
    listen().await.1
}

async fn start_upstream() -> String {
    async fn value(Path(call): Path<u64>) -> impl IntoResponse {
        match call {
            1 => tokio::time::sleep(100 * TIMEOUT).await,
            2 => return (StatusCode::SERVICE_UNAVAILABLE, "{\"value\":1}".to_owned()),
            3 => return (StatusCode::OK, "{\"value\":\"1\"}".to_owned()),
            4 => return (StatusCode::FOUND, "{\"value\":1}".to_owned()),
            5 => return (StatusCode::OK, "a".repeat(1_000_000)),
            _ => {}
        }
        (StatusCode::OK, format!("{{\"value\":{}}}", 10 * call))
    }
    let (listener, addr) = listen().await;
    let routes = Router::new()
        .route("/value/{call}", get(value))
        .route("/healthz", get("ok"));
    tokio::spawn(async { axum::serve(listener, routes).await });
    addr
}

#[tokio::test]
async fn each_call_has_its_own_outcome() {
    let app = service(&[upstream(&start_upstream().await)]);
    let started = Instant::now();
    let (status, body) = ask(&app, "/fanout?calls=7").await;
    assert!(started.elapsed() < 5 * TIMEOUT, "{:?}", started.elapsed());
    assert_eq!(status, StatusCode::OK, "{body}");
    assert_eq!(
        body,
        r#"{"calls":7,"succeeded":2,"failed":5,"sum":60,"results":[{"call":0,"value":0},{"call":1,"error":"timeout"},{"call":2,"error":"status"},{"call":3,"error":"body"},{"call":4,"error":"status"},{"call":5,"error":"body"},{"call":6,"value":60}]}"#
    );
    check(&app, "/healthz", 200, "ok").await;
}

#[tokio::test]
async fn servers_that_refuse_are_unavailable() {
    let addr = closed().await;
    let app = dependent(&addr);
    check(&app, "/users/1", 503, "database_unavailable").await;
    check(&app, "/users/1/summary", 503, "database_unavailable").await;
    check(&app, "/users/1?cache=true", 503, "cache_unavailable").await;
    check(&app, "/fanout?calls=3", 503, "upstream_unavailable").await;
    check(&app, "/healthz", 503, "database_unavailable").await;
}

#[tokio::test]
async fn servers_that_never_answer_are_given_up() {
    let (_silent, addr) = listen().await;
    let app = dependent(&addr);
    // No connection was had, since PostgreSQL's begins with an answer.
    check(&app, "/users/1", 503, "database_unavailable").await;
    check(&app, "/users/1/summary", 503, "database_unavailable").await;
    check(&app, "/users/1?cache=true", 504, "cache_timeout").await;
    check(&app, "/fanout?calls=100", 504, "upstream_timeout").await;
    check(&app, "/healthz", 503, "database_unavailable").await;
}

#[tokio::test]
async fn health_tells_the_first_that_fails() {
    let (_silent, silent) = listen().await;
    let app = service(&[redis(&silent), upstream(&closed().await)]);
    check(&app, "/healthz", 504, "cache_timeout").await;
    let app = service(&[upstream(&silent)]);
    check(&app, "/healthz", 504, "upstream_timeout").await;
    let app = service(&[redis(&closed().await), upstream(&start_upstream().await)]);
    check(&app, "/healthz", 503, "cache_unavailable").await;
}

#[tokio::test]
async fn connections_to_a_silent_server_are_not_kept() {
    let (silent, addr) = listen().await;
    let app = service(&[
        database(&addr),
        "--database-pool=1".to_owned(),
        redis(&addr),
    ]);
    for _ in 0..5 {
        check(&app, "/users/1", 503, "database_unavailable").await;
        check(&app, "/users/1?cache=true", 504, "cache_timeout").await;
    }
    let mut accepted: Vec<TcpStream> = Vec::new();
    while let Ok(Ok((stream, _))) = timeout(TIMEOUT, silent.accept()).await {
        accepted.push(stream);
    }
    assert!(accepted.len() >= 5, "{}", accepted.len());
    for mut stream in accepted {
        let mut sent = Vec::new();
        let ended = timeout(10 * TIMEOUT, stream.read_to_end(&mut sent)).await;
        assert!(ended.is_ok(), "a connection is still open");
    }
}
