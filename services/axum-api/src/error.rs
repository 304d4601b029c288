//! Every error the service can answer with. Codes and messages are part of the contract and are our own:
//! the text of a library's error never reaches a client, so both services can answer with the same bytes.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde_json::json;
use thiserror::Error;

/// As in the contract's `errors.json`, with which a test compares them. The code is the name in snake case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error, Serialize)]
#[cfg_attr(test, derive(serde::Deserialize))]
#[serde(rename_all = "snake_case")]
pub enum ApiError {
    #[error("the request body is not JSON in UTF-8")]
    InvalidJson,
    #[error("the request body could not be read")]
    UnreadableBody,
    #[error("there is no such route")]
    NotFound,
    #[error("there is no such user")]
    UserNotFound,
    #[error("the route does not answer this method")]
    MethodNotAllowed,
    #[error("the request body did not arrive in time")]
    RequestTimeout,
    #[error("the request body is larger than the route takes")]
    BodyTooLarge,
    #[error("the content type must be application/json")]
    UnsupportedMediaType,
    #[error(
        "the body must be an object of exactly id (an integer from 0 to 18446744073709551615), \
         user_agent (a string) and metadata (an array of strings)"
    )]
    InvalidEcho,
    #[error(
        "the body must be an object of exactly title and sections, \
         with sections of exactly title, paragraphs, tags and sections, at most 32 deep"
    )]
    InvalidDocument,
    #[error(
        "the body must be an object of exactly name (1 to 200 characters), \
         traffic_percent (an integer from 0 to 100) and variants (1 to 20 objects of exactly name, \
         1 to 64 characters and unique, and weight, an integer from 1 to 1000)"
    )]
    InvalidExperiment,
    #[error("input must be 1 to 1024 bytes long")]
    InvalidInput,
    #[error("for must be a whole number of us or ms, from 1us to 100ms")]
    InvalidFor,
    #[error("id must be a whole number from 1 to 9223372036854775807")]
    InvalidId,
    #[error("cache must be true or false")]
    InvalidCache,
    #[error("calls must be a whole number from 1 to 100")]
    InvalidCalls,
    #[error("hash must be md5")]
    InvalidHash,
    #[error("the path must be 1 to 1024 bytes long")]
    InvalidPath,
    #[error("the service failed")]
    Internal,
    #[error("error_one_in of TAILGATE_FAULTS asked for this error")]
    Fault,
    #[error("the database cannot be reached")]
    DatabaseUnavailable,
    #[error("the cache cannot be reached")]
    CacheUnavailable,
    #[error("the upstream cannot be reached")]
    UpstreamUnavailable,
    #[error("the database did not answer in time")]
    DatabaseTimeout,
    #[error("the cache did not answer in time")]
    CacheTimeout,
    #[error("the upstream did not answer in time")]
    UpstreamTimeout,
}

impl ApiError {
    const fn status(self) -> StatusCode {
        match self {
            Self::InvalidJson | Self::UnreadableBody => StatusCode::BAD_REQUEST,
            Self::NotFound | Self::UserNotFound => StatusCode::NOT_FOUND,
            Self::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
            Self::RequestTimeout => StatusCode::REQUEST_TIMEOUT,
            Self::BodyTooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::UnsupportedMediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::InvalidEcho
            | Self::InvalidDocument
            | Self::InvalidExperiment
            | Self::InvalidInput
            | Self::InvalidFor
            | Self::InvalidId
            | Self::InvalidCache
            | Self::InvalidCalls
            | Self::InvalidHash
            | Self::InvalidPath => StatusCode::UNPROCESSABLE_ENTITY,
            Self::Internal | Self::Fault => StatusCode::INTERNAL_SERVER_ERROR,
            Self::DatabaseUnavailable | Self::CacheUnavailable | Self::UpstreamUnavailable => {
                StatusCode::SERVICE_UNAVAILABLE
            }
            Self::DatabaseTimeout | Self::CacheTimeout | Self::UpstreamTimeout => {
                StatusCode::GATEWAY_TIMEOUT
            }
        }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let body = json!({ "error": { "code": self, "message": self.to_string() } });
        (self.status(), Json(body)).into_response()
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use serde::Deserialize;
    use serde::de::IntoDeserializer;
    use serde::de::value::{Error, U32Deserializer};

    use super::*;

    #[derive(Deserialize)]
    struct Row {
        code: ApiError,
        status: u16,
        message: String,
    }

    #[test]
    fn errors_are_those_of_the_contract() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../contract/errors.json");
        let rows: Vec<Row> = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
        for row in &rows {
            let name = format!("{:?}", row.code);
            assert_eq!(row.code.status().as_u16(), row.status, "{name}");
            assert_eq!(row.code.to_string(), row.message, "{name}");
        }
        // An enum of serde's can also be made of a variant's number.
        let variants = (0u32..).map_while(|number| {
            let number: U32Deserializer<Error> = number.into_deserializer();
            ApiError::deserialize(number).ok()
        });
        let codes: Vec<ApiError> = rows.iter().map(|row| row.code).collect();
        assert_eq!(codes, variants.collect::<Vec<_>>());
    }
}
