//! `POST /echo`: JSON in, the same JSON out with a time, a name and padding to twice the size.

use std::sync::LazyLock;

use axum::extract::{Request, State};
use axum::routing::post;
use axum::{Json, Router};
use chrono::{SecondsFormat, Utc};
use serde::{Deserialize, Serialize};

use crate::body::{parse_object, read_json};
use crate::error::ApiError;
use crate::state::AppState;

pub const PATH: &str = "/echo";

const BODY_LIMIT: usize = 64 * 1024;

/// What the answer has beyond the request before any padding: the names, quotes and commas of three fields,
/// the 30 characters of the time and the 8 of `axum-api`. Without it 1,024 bytes would not give 2,048.
const ADDED_BYTES: usize = 91;

static PADDING: LazyLock<String> = LazyLock::new(|| ('a'..='z').cycle().take(BODY_LIMIT).collect());

pub fn router() -> Router<AppState> {
    Router::new().route(PATH, post(echo))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
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

async fn echo(
    State(state): State<AppState>,
    request: Request,
) -> Result<Json<EchoReply>, ApiError> {
    let body = read_json(request, BODY_LIMIT, state.request_timeout).await?;
    let request: EchoRequest = parse_object(&body, ApiError::InvalidEcho)?;
    Ok(Json(EchoReply {
        id: request.id,
        user_agent: request.user_agent,
        metadata: request.metadata,
        server_timestamp: Utc::now().to_rfc3339_opts(SecondsFormat::Nanos, true),
        processed_by: "axum-api",
        padding: &PADDING[..body.len().saturating_sub(ADDED_BYTES)],
    }))
}
