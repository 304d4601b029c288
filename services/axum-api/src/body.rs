//! Reading a JSON request body within a size and a time, and telling bad JSON from JSON of the wrong shape.

use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::header::CONTENT_TYPE;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use serde::Deserialize;
use serde::de::IgnoredAny;
use tokio::time::timeout;

use crate::error::ApiError;

/// How much of a body that is too large is still read, so that a client that writes before it reads sees
/// the 413 and not a reset connection.
const DRAIN_BYTES: usize = 1024 * 1024;

/// The request's body, at most `limit` bytes of declared JSON, read within `wait`.
pub async fn read_json(request: Request, limit: usize, wait: Duration) -> Result<Bytes, ApiError> {
    if !is_json(&request) {
        return Err(ApiError::UnsupportedMediaType);
    }
    timeout(wait, collect(request.into_body(), limit))
        .await
        .unwrap_or(Err(ApiError::RequestTimeout))
}

fn is_json(request: &Request) -> bool {
    request.headers().get(CONTENT_TYPE).is_some_and(|value| {
        let value = value.as_bytes();
        let media_type = value.split(|&b| b == b';').next().unwrap_or(value);
        media_type
            .trim_ascii()
            .eq_ignore_ascii_case(b"application/json")
    })
}

async fn collect(mut body: Body, limit: usize) -> Result<Bytes, ApiError> {
    match Limited::new(&mut body, limit).collect().await {
        Ok(collected) => Ok(collected.to_bytes()),
        Err(error) if error.is::<LengthLimitError>() => {
            drain(body).await;
            Err(ApiError::BodyTooLarge)
        }
        Err(_) => Err(ApiError::UnreadableBody),
    }
}

async fn drain(mut body: Body) {
    let mut drained = 0;
    while drained < DRAIN_BYTES
        && let Some(Ok(frame)) = body.frame().await
    {
        drained += frame.data_ref().map_or(0, Bytes::len);
    }
}

/// The JSON object in `body`; `wrong_shape` when it is JSON but not a `T`.
pub fn parse_object<'de, T: Deserialize<'de>>(
    body: &'de [u8],
    wrong_shape: ApiError,
) -> Result<T, ApiError> {
    let text = std::str::from_utf8(body).map_err(|_| ApiError::InvalidJson)?;
    match serde_json::from_str(text) {
        // A derived Deserialize also takes an array of the fields in order.
        Ok(value) if starts_object(text) => Ok(value),
        Ok(_) => Err(wrong_shape),
        // The first error of a streaming parser says nothing of the rest of the text: `{"id":""` is bad JSON
        // although a wrong type comes first. Only bad requests pay for the second look.
        Err(_) if serde_json::from_str::<IgnoredAny>(text).is_ok() => Err(wrong_shape),
        Err(_) => Err(ApiError::InvalidJson),
    }
}

fn starts_object(text: &str) -> bool {
    text.trim_ascii_start().starts_with('{')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Point {
        x: u64,
    }

    #[test]
    fn tells_bad_json_from_a_wrong_shape() {
        let shape = Err(ApiError::InvalidEcho);
        let json = Err(ApiError::InvalidJson);
        let cases: [(&[u8], Result<Point, ApiError>); 9] = [
            (b"{\"x\":1}", Ok(Point { x: 1 })),
            (b" \n{\"x\":1}", Ok(Point { x: 1 })),
            (b"[1]", shape),
            (b"{\"x\":\"\"}", shape),
            (b"{\"x\":\"\"", json),
            (b"{\"y\":\"\\ud800\"}", shape),
            (b"{\"x\":1,\"x\":1}", shape),
            (b"{\"x\":1}\xff", json),
            (b"", json),
        ];
        for (body, expected) in cases {
            let got = parse_object::<Point>(body, ApiError::InvalidEcho);
            assert_eq!(got, expected, "{}", String::from_utf8_lossy(body));
        }
    }
}
