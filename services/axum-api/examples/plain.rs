//! The plainest axum program that answers the four default routes with the same bytes: no limits, no checks, no metrics.
//! What `lab/bench/services.ts` holds the service against.

use std::sync::LazyLock;

use axum::body::Bytes;
use axum::extract::{Json, Path, Query};
use axum::routing::{get, post};
use axum::{Router, serve};
use chrono::{SecondsFormat, Utc};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tokio::net::TcpListener;
use tokio::task::spawn_blocking;

static PADDING: LazyLock<String> = LazyLock::new(|| ('a'..='z').cycle().take(65_536).collect());

#[tokio::main]
async fn main() {
    let addr = std::env::var("ADDR").unwrap_or_else(|_| "127.0.0.1:8080".into());
    let listener = TcpListener::bind(addr).await.expect("a free address");
    println!(
        "listening on http://{}",
        listener.local_addr().expect("an address")
    );
    let app = Router::new()
        .route("/echo", post(echo))
        .route("/process", get(process))
        .route("/experiments", post(experiments))
        .route("/hello/{*path}", get(hello));
    serve(listener, app).await.expect("a server that goes on");
}

fn now() -> String {
    Utc::now().to_rfc3339_opts(SecondsFormat::Nanos, true)
}

#[derive(Deserialize)]
struct EchoRequest {
    id: u64,
    user_agent: String,
    metadata: Vec<String>,
}

#[derive(Serialize)]
struct EchoReply {
    id: u64,
    user_agent: String,
    metadata: Vec<String>,
    server_timestamp: String,
    processed_by: &'static str,
    padding: &'static str,
}

async fn echo(body: Bytes) -> Json<EchoReply> {
    let request: EchoRequest = serde_json::from_slice(&body).expect("an echo request");
    Json(EchoReply {
        id: request.id,
        user_agent: request.user_agent,
        metadata: request.metadata,
        server_timestamp: now(),
        processed_by: "axum-api",
        padding: &PADDING[..body.len().saturating_sub(91)],
    })
}

#[derive(Deserialize)]
struct Input {
    input: String,
}

#[derive(Serialize)]
struct ProcessReply {
    digest: String,
    rounds: u64,
}

async fn process(Query(Input { input }): Query<Input>) -> Json<ProcessReply> {
    const ROUNDS: u64 = 24_000;
    let digest = spawn_blocking(move || {
        let mut digest = Sha256::digest(input);
        for _ in 1..ROUNDS {
            digest = Sha256::digest(digest);
        }
        hex::encode(digest)
    });
    Json(ProcessReply {
        digest: digest.await.expect("no panic"),
        rounds: ROUNDS,
    })
}

#[derive(Deserialize)]
struct Experiment {
    name: String,
    traffic_percent: u8,
    variants: Vec<Variant>,
}

#[derive(Deserialize)]
struct Variant {
    name: String,
    weight: u16,
}

#[derive(Serialize)]
struct ExperimentReply {
    name: String,
    traffic_percent: u8,
    variants: Vec<Weighted>,
    created_at: String,
}

#[derive(Serialize)]
struct Weighted {
    name: String,
    weight: u16,
    share: serde_json::Number,
}

async fn experiments(Json(request): Json<Experiment>) -> Json<ExperimentReply> {
    let sum: u32 = request.variants.iter().map(|v| u32::from(v.weight)).sum();
    let variants = request.variants.into_iter().map(|variant| {
        let parts = (20_000 * u32::from(variant.weight) + sum) / (2 * sum);
        let share = if parts == 10_000 {
            serde_json::Number::from(1)
        } else {
            serde_json::Number::from_f64(f64::from(parts) / 10_000.0).expect("a finite share")
        };
        Weighted {
            name: variant.name,
            weight: variant.weight,
            share,
        }
    });
    Json(ExperimentReply {
        name: request.name,
        traffic_percent: request.traffic_percent,
        variants: variants.collect(),
        created_at: now(),
    })
}

async fn hello(Path(path): Path<String>) -> String {
    format!("Hello, {path}!\n")
}
