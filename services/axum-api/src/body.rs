//! Reading a JSON request body within a size and a time, and telling bad JSON from JSON of the wrong shape.

use std::fmt;
use std::marker::PhantomData;
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::Request;
use axum::http::header::CONTENT_TYPE;
use http_body_util::BodyExt;
use serde::de::value::MapAccessDeserializer;
use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
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

/// All of the body in one buffer, which is the connection's own when it came in one piece.
async fn collect(mut body: Body, limit: usize) -> Result<Bytes, ApiError> {
    let Some(first) = next_data(&mut body).await? else {
        return Ok(Bytes::new());
    };
    if body.is_end_stream() && first.len() <= limit {
        return Ok(first);
    }
    // What is announced is not yet sent: the buffer's untouched pages cost nothing until it is.
    let announced = usize::try_from(body.size_hint().lower()).unwrap_or(limit);
    let mut buffer = Vec::with_capacity(first.len().saturating_add(announced).min(limit));
    let mut data = first;
    loop {
        if buffer.len() + data.len() > limit {
            drop(buffer);
            drain(body).await;
            return Err(ApiError::BodyTooLarge);
        }
        buffer.extend_from_slice(&data);
        match next_data(&mut body).await? {
            Some(next) => data = next,
            None => return Ok(Bytes::from(buffer)),
        }
    }
}

async fn next_data(body: &mut Body) -> Result<Option<Bytes>, ApiError> {
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| ApiError::UnreadableBody)?;
        if let Ok(data) = frame.into_data() {
            return Ok(Some(data));
        }
    }
    Ok(None)
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
        Ok(Object(value)) => Ok(value),
        // The first error of a streaming parser says nothing of the rest of the text: `{"id":""` is bad JSON
        // although a wrong type comes first. Only bad requests pay for the second look, which does not recurse:
        // unlike the first, it knows no limit of depth.
        Err(_) if serde_json::from_str::<IgnoredAny>(text).is_ok() => Err(wrong_shape),
        Err(_) => Err(ApiError::InvalidJson),
    }
}

/// A struct that is taken from a JSON object only. A derived `Deserialize` also takes an array of the fields.
#[derive(Debug, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Object<T>(pub T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for Fields<T> {
            type Value = T;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map))
            }
        }

        deserializer.deserialize_map(Fields(PhantomData)).map(Self)
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
    fn depth_alone_does_not_make_bad_json() {
        let deep = |close: usize| [vec![b'['; 10_000], vec![b']'; close]].concat();
        let parse = |body: &[u8]| parse_object::<Point>(body, ApiError::InvalidEcho);
        assert_eq!(parse(&deep(10_000)), Err(ApiError::InvalidEcho));
        assert_eq!(parse(&deep(9_999)), Err(ApiError::InvalidJson));
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
