//! `GET /fanout`: many calls to the upstream at once, and what became of each.

use axum::extract::{RawQuery, State};
use axum::routing::get;
use axum::{Json, Router};
use futures_util::future::join_all;
use serde::Serialize;

use crate::error::ApiError;
use crate::query::{Query, parse_plain_number};
use crate::state::AppState;
use crate::upstream::CallError;

pub const PATH: &str = "/fanout";

const DEFAULT_CALLS: u64 = 10;
const CALLS_LIMIT: u64 = 100;

pub fn router() -> Router<AppState> {
    Router::new().route(PATH, get(fanout))
}

#[derive(Serialize)]
struct FanoutReply {
    calls: usize,
    succeeded: usize,
    failed: usize,
    sum: u64,
    results: Vec<Call>,
}

#[derive(Serialize)]
struct Call {
    call: usize,
    #[serde(flatten)]
    outcome: Outcome,
}

#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum Outcome {
    Value(u64),
    Error(CallError),
}

async fn fanout(
    State(state): State<AppState>,
    RawQuery(query): RawQuery,
) -> Result<Json<FanoutReply>, ApiError> {
    let query = Query::parse(query.unwrap_or_default().as_bytes())?;
    let calls = parse_calls(query.at_most_one("calls", ApiError::InvalidCalls)?)?;
    let upstream = state.upstream()?;
    let outcomes = join_all((0..calls).map(|call| upstream.value(call))).await;
    reply(&outcomes).map(Json)
}

fn parse_calls(text: Option<&[u8]>) -> Result<u64, ApiError> {
    match text {
        None => Ok(DEFAULT_CALLS),
        Some(text) => parse_plain_number(text)
            .filter(|calls| (1..=CALLS_LIMIT).contains(calls))
            .ok_or(ApiError::InvalidCalls),
    }
}

fn reply(outcomes: &[Result<u64, CallError>]) -> Result<FanoutReply, ApiError> {
    let values: Vec<u64> = outcomes.iter().copied().flatten().collect();
    if values.is_empty() {
        let late = outcomes
            .iter()
            .all(|outcome| *outcome == Err(CallError::Timeout));
        return Err(if late {
            ApiError::UpstreamTimeout
        } else {
            ApiError::UpstreamUnavailable
        });
    }
    let results = outcomes.iter().enumerate().map(|(call, outcome)| Call {
        call,
        outcome: outcome.map_or_else(Outcome::Error, Outcome::Value),
    });
    Ok(FanoutReply {
        calls: outcomes.len(),
        succeeded: values.len(),
        failed: outcomes.len() - values.len(),
        sum: values.iter().sum(),
        results: results.collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partial_failure_is_reported() {
        let outcomes = [
            Ok(42),
            Err(CallError::Timeout),
            Ok(1),
            Err(CallError::Status),
            Err(CallError::Body),
            Err(CallError::Unreachable),
        ];
        let reply = reply(&outcomes).unwrap_or_else(|error| panic!("{error:?}"));
        assert_eq!(
            serde_json::to_string(&reply).unwrap(),
            r#"{"calls":6,"succeeded":2,"failed":4,"sum":43,"results":[{"call":0,"value":42},{"call":1,"error":"timeout"},{"call":2,"value":1},{"call":3,"error":"status"},{"call":4,"error":"body"},{"call":5,"error":"unreachable"}]}"#
        );
    }

    #[test]
    fn no_success_is_an_error() {
        let late = [Err(CallError::Timeout), Err(CallError::Timeout)];
        assert_eq!(reply(&late).err(), Some(ApiError::UpstreamTimeout));
        let mixed = [Err(CallError::Timeout), Err(CallError::Status)];
        assert_eq!(reply(&mixed).err(), Some(ApiError::UpstreamUnavailable));
    }
}
