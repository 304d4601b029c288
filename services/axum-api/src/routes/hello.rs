//! `GET /hello/{path}`: a line of text, from the path exactly as it was sent.

use axum::Router;
use axum::extract::RawQuery;
use axum::http::Uri;
use axum::routing::get;

use crate::error::ApiError;
use crate::query::Query;
use crate::state::AppState;

pub const PATH: &str = "/hello/{path}";

/// The router's wildcard does not match the empty path, so there are two routes.
pub const EMPTY: &str = "/hello/";
pub const WILDCARD: &str = "/hello/{*path}";

const PATH_LIMIT: usize = 1024;

pub fn router() -> Router<AppState> {
    Router::new()
        .route(EMPTY, get(hello))
        .route(WILDCARD, get(hello))
}

async fn hello(uri: Uri, RawQuery(query): RawQuery) -> Result<String, ApiError> {
    Query::parse(query.unwrap_or_default().as_bytes())?;
    // Axum's own `Path` decodes escapes.
    let path = uri.path().strip_prefix("/hello/").unwrap_or_default();
    if !(1..=PATH_LIMIT).contains(&path.len()) {
        return Err(ApiError::InvalidPath);
    }
    Ok(format!("Hello, {path}!\n"))
}
