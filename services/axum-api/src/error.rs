//! Every error the service can answer with. Codes and messages are part of the contract and are our own:
//! the text of a library's error never reaches a client, so both services can answer with the same bytes.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::Serialize;

/// One row an error, as in the contract's `errors.json`, with which a test compares them.
macro_rules! errors {
    ($($name:ident: $status:ident, $code:literal, $message:literal;)*) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum ApiError {
            $($name,)*
        }

        impl ApiError {
            pub const ALL: &[Self] = &[$(Self::$name),*];

            const fn parts(self) -> (StatusCode, &'static str, &'static str) {
                match self {
                    $(Self::$name => (StatusCode::$status, $code, $message),)*
                }
            }
        }
    };
}

errors! {
    InvalidJson: BAD_REQUEST, "invalid_json", "the request body is not JSON in UTF-8";
    UnreadableBody: BAD_REQUEST, "unreadable_body", "the request body could not be read";
    NotFound: NOT_FOUND, "not_found", "there is no such route";
    UserNotFound: NOT_FOUND, "user_not_found", "there is no such user";
    MethodNotAllowed: METHOD_NOT_ALLOWED, "method_not_allowed", "the route does not answer this method";
    RequestTimeout: REQUEST_TIMEOUT, "request_timeout", "the request body did not arrive in time";
    BodyTooLarge: PAYLOAD_TOO_LARGE, "body_too_large", "the request body is larger than the route takes";
    UnsupportedMediaType: UNSUPPORTED_MEDIA_TYPE, "unsupported_media_type",
        "the content type must be application/json";
    InvalidEcho: UNPROCESSABLE_ENTITY, "invalid_echo",
        "the body must be an object of exactly id (an integer from 0 to 18446744073709551615), \
         user_agent (a string) and metadata (an array of strings)";
    InvalidDocument: UNPROCESSABLE_ENTITY, "invalid_document",
        "the body must be an object of exactly title and sections, \
         with sections of exactly title, paragraphs, tags and sections, at most 32 deep";
    InvalidExperiment: UNPROCESSABLE_ENTITY, "invalid_experiment",
        "the body must be an object of exactly name (1 to 200 characters), \
         traffic_percent (an integer from 0 to 100) and variants (1 to 20 objects of exactly name, \
         1 to 64 characters and unique, and weight, an integer from 1 to 1000)";
    InvalidQuery: UNPROCESSABLE_ENTITY, "invalid_query", "the query string is malformed";
    InvalidInput: UNPROCESSABLE_ENTITY, "invalid_input",
        "input must be given once and be 1 to 1024 bytes long";
    InvalidFor: UNPROCESSABLE_ENTITY, "invalid_for",
        "for must be a whole number of us or ms, from 1us to 100ms, given at most once";
    InvalidId: UNPROCESSABLE_ENTITY, "invalid_id",
        "id must be a whole number from 1 to 9223372036854775807";
    InvalidCache: UNPROCESSABLE_ENTITY, "invalid_cache",
        "cache must be true or false, given at most once";
    InvalidCalls: UNPROCESSABLE_ENTITY, "invalid_calls",
        "calls must be a whole number from 1 to 100, given at most once";
    InvalidHash: UNPROCESSABLE_ENTITY, "invalid_hash", "hash must be md5, given at most once";
    InvalidPath: UNPROCESSABLE_ENTITY, "invalid_path", "the path must be 1 to 1024 bytes long";
    Internal: INTERNAL_SERVER_ERROR, "internal", "the service failed";
    Fault: INTERNAL_SERVER_ERROR, "fault", "error_one_in of TAILGATE_FAULTS asked for this error";
    DatabaseUnavailable: SERVICE_UNAVAILABLE, "database_unavailable", "the database cannot be reached";
    CacheUnavailable: SERVICE_UNAVAILABLE, "cache_unavailable", "the cache cannot be reached";
    UpstreamUnavailable: SERVICE_UNAVAILABLE, "upstream_unavailable", "the upstream cannot be reached";
    DatabaseTimeout: GATEWAY_TIMEOUT, "database_timeout", "the database did not answer in time";
    CacheTimeout: GATEWAY_TIMEOUT, "cache_timeout", "the cache did not answer in time";
    UpstreamTimeout: GATEWAY_TIMEOUT, "upstream_timeout", "the upstream did not answer in time";
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

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use serde::Deserialize;

    use super::*;

    #[test]
    fn the_table_is_the_contracts() {
        #[derive(Deserialize)]
        struct Row {
            code: String,
            status: u16,
            message: String,
        }
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../contract/errors.json");
        let rows: Vec<Row> = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
        let wanted = rows
            .iter()
            .map(|row| (row.status, &*row.code, &*row.message));
        let got = ApiError::ALL.iter().map(|error| {
            let (status, code, message) = error.parts();
            (status.as_u16(), code, message)
        });
        assert_eq!(got.collect::<Vec<_>>(), wanted.collect::<Vec<_>>());
    }
}
