//! `GET /users/{id}`: one row by primary key, from the cache if asked for.

use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use serde::Deserialize;

use crate::error::ApiError;
use crate::extract::{Input, Query, UserId};
use crate::state::AppState;

#[derive(Debug, Deserialize)]
pub struct UserQuery {
    #[serde(default)]
    cache: bool,
}

impl Input for UserQuery {
    const INVALID: ApiError = ApiError::InvalidCache;
}

pub async fn user(
    State(state): State<AppState>,
    UserId(id): UserId,
    Query(query): Query<UserQuery>,
) -> Result<impl IntoResponse, ApiError> {
    let body = if query.cache {
        cached(&state, id).await?
    } else {
        load(&state, id).await?
    };
    Ok(([(CONTENT_TYPE, "application/json")], body))
}

async fn cached(state: &AppState, id: i64) -> Result<Vec<u8>, ApiError> {
    let cache = state.cache()?;
    let key = format!("user:{id}");
    if let Some(body) = cache.get(&key).await? {
        return Ok(body);
    }
    let body = load(state, id).await?;
    cache.set(&key, &body).await?;
    Ok(body)
}

async fn load(state: &AppState, id: i64) -> Result<Vec<u8>, ApiError> {
    let user = state.database()?.lease().await?.user(id).await?;
    serde_json::to_vec(&user).map_err(|_| ApiError::Internal)
}
