//! What handlers take from a request. What cannot be taken is an error of the contract.

use axum::body::Body;
use axum::extract::{FromRequest, FromRequestParts, Path, Request};
use axum::http::HeaderMap;
use axum::http::header::CONTENT_TYPE;
use axum::http::request::Parts;
use bytes::Bytes;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::error::Category;
use tokio::time::timeout;

use crate::error::ApiError;
use crate::state::AppState;

/// Of all bodies but those of types that say otherwise.
pub const BODY_LIMIT: usize = 64 * 1024;

/// How much of a body that is too large is still read, so that a client that writes before it reads sees
/// the 413 and not a reset connection.
const DRAIN_BYTES: usize = 1024 * 1024;

/// A type that a route reads from a query or a JSON body.
pub trait Input {
    /// What the client is told when it sent something else.
    const INVALID: ApiError;

    const BODY_LIMIT: usize = BODY_LIMIT;

    /// What the types of the fields do not say.
    fn is_valid(&self) -> bool {
        true
    }
}

/// The query.
#[derive(Debug)]
pub struct Query<T>(pub T);

impl<T: Input + DeserializeOwned, S: Sync> FromRequestParts<S> for Query<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        match axum::extract::Query::<T>::try_from_uri(&parts.uri) {
            Ok(query) if query.is_valid() => Ok(Self(query.0)),
            _ => Err(T::INVALID),
        }
    }
}

/// The `{id}` of a path.
#[derive(Debug)]
pub struct UserId(pub i64);

impl<S: Send + Sync> FromRequestParts<S> for UserId {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        match Path::from_request_parts(parts, state).await {
            Ok(Path(id)) if id > 0 => Ok(Self(id)),
            _ => Err(ApiError::InvalidId),
        }
    }
}

/// A JSON body. Unlike axum's `Json` it is checked, and bounded in time.
#[derive(Debug)]
pub struct Strict<T>(pub T);

impl<T: Input + DeserializeOwned> FromRequest<AppState> for Strict<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &AppState) -> Result<Self, ApiError> {
        parse(&read_json(request, T::BODY_LIMIT, state).await?).map(Self)
    }
}

/// The bytes of a JSON body, for a handler that parses them itself.
#[derive(Debug)]
pub struct JsonBytes(pub Bytes);

impl FromRequest<AppState> for JsonBytes {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &AppState) -> Result<Self, ApiError> {
        read_json(request, BODY_LIMIT, state).await.map(Self)
    }
}

async fn read_json(request: Request, limit: usize, state: &AppState) -> Result<Bytes, ApiError> {
    if !is_json(request.headers()) {
        return Err(ApiError::UnsupportedMediaType);
    }
    timeout(state.request_timeout, collect(request.into_body(), limit))
        .await
        .unwrap_or(Err(ApiError::RequestTimeout))
}

fn is_json(headers: &HeaderMap) -> bool {
    let value = headers
        .get(CONTENT_TYPE)
        .map_or(&b""[..], |value| value.as_bytes());
    let media_type = value.split(|&byte| byte == b';').next().unwrap_or_default();
    media_type
        .trim_ascii()
        .eq_ignore_ascii_case(b"application/json")
}

async fn collect(mut body: Body, limit: usize) -> Result<Bytes, ApiError> {
    match Limited::new(&mut body, limit).collect().await {
        Ok(collected) => Ok(collected.to_bytes()),
        Err(error) if error.is::<LengthLimitError>() => {
            let _ = Limited::new(body, DRAIN_BYTES).collect().await;
            Err(ApiError::BodyTooLarge)
        }
        Err(_) => Err(ApiError::UnreadableBody),
    }
}

/// A value that may borrow from `body`.
pub fn parse<'de, T: Input + Deserialize<'de>>(body: &'de [u8]) -> Result<T, ApiError> {
    match serde_json::from_slice::<T>(body) {
        Ok(value) if value.is_valid() => Ok(value),
        Err(error) if error.classify() != Category::Data => Err(ApiError::InvalidJson),
        _ => Err(T::INVALID),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Point {
        x: u64,
    }

    impl Input for Point {
        const INVALID: ApiError = ApiError::InvalidEcho;

        fn is_valid(&self) -> bool {
            self.x < 10
        }
    }

    #[tokio::test]
    async fn a_body_is_put_together_within_its_limit() {
        let cases: [(&[&'static str], Result<&str, ApiError>); 7] = [
            (&[], Ok("")),
            (&["abcd"], Ok("abcd")),
            (&["ab", "", "cd"], Ok("abcd")),
            (&["ab", "c"], Ok("abc")),
            (&["abcde"], Err(ApiError::BodyTooLarge)),
            (&["abcd", "e"], Err(ApiError::BodyTooLarge)),
            (&["", "abcdef"], Err(ApiError::BodyTooLarge)),
        ];
        for (parts, expected) in cases {
            let frames = parts.iter().map(|part| Ok::<_, std::io::Error>(*part));
            let body = Body::from_stream(futures_util::stream::iter(frames));
            let got = collect(body, 4).await;
            assert_eq!(got, expected.map(Bytes::from), "{parts:?}");
        }
    }

    #[tokio::test]
    async fn a_body_that_breaks_off_is_unreadable() {
        let frames = [Ok("a"), Err(std::io::Error::other("on purpose"))];
        let body = Body::from_stream(futures_util::stream::iter(frames));
        assert_eq!(collect(body, 4).await, Err(ApiError::UnreadableBody));
    }

    #[test]
    fn tells_bad_json_from_a_wrong_shape() {
        let shape = Err(ApiError::InvalidEcho);
        let json = Err(ApiError::InvalidJson);
        let cases: [(&[u8], Result<Point, ApiError>); 8] = [
            (b" \n{\"x\":1}", Ok(Point { x: 1 })),
            (b"{\"x\":10}", shape),
            (b"{\"x\":\"\"}", shape),
            (b"{\"x\":1,\"y\":1}", shape),
            (b"{\"x\":1", json),
            (b"{\"x\":1}\xff", json),
            (b"{\"\xff\":1}", json),
            (b"", json),
        ];
        for (body, expected) in cases {
            assert_eq!(parse(body), expected, "{}", String::from_utf8_lossy(body));
        }
    }
}
