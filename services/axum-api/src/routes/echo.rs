//! `POST /echo`: JSON in, the same JSON out with a time, a name and padding to twice the size.

use std::borrow::Cow;
use std::sync::LazyLock;

use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
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

#[derive(Serialize)]
struct EchoReply<S> {
    id: u64,
    user_agent: S,
    metadata: Vec<S>,
    server_timestamp: String,
    processed_by: &'static str,
    padding: &'static str,
}

async fn echo(State(state): State<AppState>, request: Request) -> Result<Response, ApiError> {
    let body = read_json(request, BODY_LIMIT, state.request_timeout).await?;
    if state.echo_zero_copy {
        answer::<Text>(&body)
    } else {
        answer::<String>(&body)
    }
}

pub fn parse<'de, S: Deserialize<'de>>(body: &'de [u8]) -> Result<EchoRequest<S>, ApiError> {
    parse_object(body, ApiError::InvalidEcho)
}

fn answer<'de, S: Deserialize<'de> + Serialize>(body: &'de [u8]) -> Result<Response, ApiError> {
    let request = parse::<S>(body)?;
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
        let request = parse::<Text>(body).unwrap();
        assert!(matches!(request.user_agent.0, Cow::Borrowed("plain")));
        assert!(matches!(request.metadata[0].0, Cow::Borrowed("a")));
        assert!(matches!(request.metadata[1].0, Cow::Owned(_)));
    }
}
