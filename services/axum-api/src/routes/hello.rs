//! `GET /hello/{path}`: a line of text.

use axum::extract::Path;
use axum::extract::rejection::PathRejection;

use crate::error::ApiError;

const PATH_LIMIT: usize = 1024;

pub async fn hello(path: Result<Path<String>, PathRejection>) -> Result<String, ApiError> {
    match path {
        Ok(Path(path)) if path.len() <= PATH_LIMIT => Ok(format!("Hello, {path}!\n")),
        _ => Err(ApiError::InvalidPath),
    }
}
