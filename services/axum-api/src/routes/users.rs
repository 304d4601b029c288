//! `GET /users/{id}`: one row by primary key, from the cache if asked for.

use axum::Router;
use axum::extract::{RawQuery, State};
use axum::http::Uri;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use axum::routing::get;
use chrono::SecondsFormat;
use serde::Serialize;

use crate::database::User;
use crate::error::ApiError;
use crate::query::{Query, parse_plain_number};
use crate::state::AppState;

pub const PATH: &str = "/users/{id}";

pub fn router() -> Router<AppState> {
    Router::new().route(PATH, get(user))
}

#[derive(Serialize)]
struct UserReply {
    id: i64,
    name: String,
    email: String,
    created_at: String,
}

async fn user(
    State(state): State<AppState>,
    uri: Uri,
    RawQuery(query): RawQuery,
) -> Result<impl IntoResponse, ApiError> {
    let query = Query::parse(query.unwrap_or_default().as_bytes())?;
    let id = parse_id(&uri)?;
    let body = match query.at_most_one("cache", ApiError::InvalidCache)? {
        Some(b"true") => cached(&state, id).await?,
        None | Some(b"false") => load(&state, id).await?,
        Some(_) => return Err(ApiError::InvalidCache),
    };
    Ok(([(CONTENT_TYPE, "application/json")], body))
}

/// The id in the path of this route and of those below it, as it was sent: axum's own `Path` decodes escapes.
pub fn parse_id(uri: &Uri) -> Result<i64, ApiError> {
    let id = uri.path().split('/').nth(2).unwrap_or_default();
    parse_plain_number(id.as_bytes())
        .and_then(|id| i64::try_from(id).ok())
        .filter(|&id| id > 0)
        .ok_or(ApiError::InvalidId)
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
    serde_json::to_vec(&reply(user)).map_err(|_| ApiError::Internal)
}

fn reply(user: User) -> UserReply {
    UserReply {
        id: user.id,
        name: user.name,
        email: user.email,
        created_at: user.created_at.to_rfc3339_opts(SecondsFormat::Secs, true),
    }
}
