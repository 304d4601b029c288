//! `POST /echo`: JSON in, the same JSON out with a time, a name and padding to twice the size.

use std::borrow::Cow;
use std::sync::LazyLock;

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use chrono::{SecondsFormat, Utc};
use serde::{Deserialize, Serialize};

use crate::error::ApiError;
use crate::extract::{BODY_LIMIT, Input, JsonBytes, parse};
use crate::state::AppState;

/// What the answer has beyond the request before any padding: the names, quotes and commas of three fields,
/// the 30 characters of the time and the 8 of `axum-api`. Without it 1,024 bytes would not give 2,048.
const ADDED_BYTES: usize = 91;

static PADDING: LazyLock<String> = LazyLock::new(|| ('a'..='z').cycle().take(BODY_LIMIT).collect());

/// The strings are copied out of the body (`String`) or borrow from it (`Text`).
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EchoRequest<S> {
    id: u64,
    user_agent: S,
    metadata: Vec<S>,
}

/// Borrowed unless the JSON string holds escapes.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

#[derive(Debug, Serialize)]
struct EchoReply<S> {
    id: u64,
    user_agent: S,
    metadata: Vec<S>,
    server_timestamp: String,
    processed_by: &'static str,
    padding: &'static str,
}

impl<S> Input for EchoRequest<S> {
    const INVALID: ApiError = ApiError::InvalidEcho;
}

pub async fn echo(
    State(state): State<AppState>,
    JsonBytes(body): JsonBytes,
) -> Result<Response, ApiError> {
    if state.echo_zero_copy {
        answer::<Text>(&body)
    } else {
        answer::<String>(&body)
    }
}

fn answer<'de, S: Deserialize<'de> + Serialize>(body: &'de [u8]) -> Result<Response, ApiError> {
    let request: EchoRequest<S> = parse(body)?;
    let reply = EchoReply {
        id: request.id,
        user_agent: request.user_agent,
        metadata: request.metadata,
        server_timestamp: Utc::now().to_rfc3339_opts(SecondsFormat::Nanos, true),
        processed_by: "axum-api",
        padding: &PADDING[..body.len().saturating_sub(ADDED_BYTES)],
    };
    Ok(Json(reply).into_response())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_copy_copies_nothing_but_escapes() {
        let body = br#"{"id":1,"user_agent":"plain","metadata":["a","\n"]}"#;
        let request: EchoRequest<Text> = parse(body).unwrap();
        assert!(matches!(request.user_agent.0, Cow::Borrowed("plain")));
        assert!(matches!(request.metadata[0].0, Cow::Borrowed("a")));
        assert!(matches!(request.metadata[1].0, Cow::Owned(_)));
    }
}
