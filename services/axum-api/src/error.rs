//! Every error the service can answer with. Codes and messages are part of the contract and are our own:
//! the text of a library's error never reaches a client, so both services can answer with the same bytes.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::Serialize;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApiError {
    InvalidJson,
    UnreadableBody,
    NotFound,
    MethodNotAllowed,
    RequestTimeout,
    BodyTooLarge,
    UnsupportedMediaType,
    InvalidEcho,
    InvalidQuery,
    InvalidInput,
    InvalidFor,
    Fault,
    Internal,
}

impl ApiError {
    const fn parts(self) -> (StatusCode, &'static str, &'static str) {
        match self {
            Self::InvalidJson => (
                StatusCode::BAD_REQUEST,
                "invalid_json",
                "the request body is not JSON in UTF-8",
            ),
            Self::UnreadableBody => (
                StatusCode::BAD_REQUEST,
                "unreadable_body",
                "the request body could not be read",
            ),
            Self::NotFound => (StatusCode::NOT_FOUND, "not_found", "there is no such route"),
            Self::MethodNotAllowed => (
                StatusCode::METHOD_NOT_ALLOWED,
                "method_not_allowed",
                "the route does not answer this method",
            ),
            Self::RequestTimeout => (
                StatusCode::REQUEST_TIMEOUT,
                "request_timeout",
                "the request body did not arrive in time",
            ),
            Self::BodyTooLarge => (
                StatusCode::PAYLOAD_TOO_LARGE,
                "body_too_large",
                "the request body is larger than 65536 bytes",
            ),
            Self::UnsupportedMediaType => (
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "unsupported_media_type",
                "the content type must be application/json",
            ),
            Self::InvalidEcho => (
                StatusCode::UNPROCESSABLE_ENTITY,
                "invalid_echo",
                "the body must be an object of exactly id (an integer from 0 to 18446744073709551615), \
                 user_agent (a string) and metadata (an array of strings)",
            ),
            Self::InvalidQuery => (
                StatusCode::UNPROCESSABLE_ENTITY,
                "invalid_query",
                "the query string is malformed",
            ),
            Self::InvalidInput => (
                StatusCode::UNPROCESSABLE_ENTITY,
                "invalid_input",
                "input must be given once and be 1 to 1024 bytes long",
            ),
            Self::InvalidFor => (
                StatusCode::UNPROCESSABLE_ENTITY,
                "invalid_for",
                "for must be a whole number of us or ms, from 1us to 100ms, given at most once",
            ),
            Self::Fault => (
                StatusCode::INTERNAL_SERVER_ERROR,
                "fault",
                "error_one_in of TAILGATE_FAULTS asked for this error",
            ),
            Self::Internal => (
                StatusCode::INTERNAL_SERVER_ERROR,
                "internal",
                "the service failed",
            ),
        }
    }
}

#[derive(Serialize)]
struct ErrorBody {
    error: ErrorDetail,
}

#[derive(Serialize)]
struct ErrorDetail {
    code: &'static str,
    message: &'static str,
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let (status, code, message) = self.parts();
        let error = ErrorDetail { code, message };
        (status, Json(ErrorBody { error })).into_response()
    }
}
