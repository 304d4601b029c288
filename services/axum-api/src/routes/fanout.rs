//! `GET /fanout`: many calls to the upstream at once, and what became of each.

use axum::Json;
use axum::extract::State;
use futures_util::future::join_all;
use serde::{Deserialize, Serialize};

use crate::error::ApiError;
use crate::extract::{Input, Query};
use crate::state::AppState;
use crate::upstream::CallError;

#[derive(Debug, Deserialize)]
#[serde(default)]
pub struct FanoutQuery {
    calls: u64,
}

impl Default for FanoutQuery {
    fn default() -> Self {
        Self { calls: 10 }
    }
}

impl Input for FanoutQuery {
    const INVALID: ApiError = ApiError::InvalidCalls;

    fn is_valid(&self) -> bool {
        (1..=100).contains(&self.calls)
    }
}

#[derive(Debug, Serialize)]
pub struct FanoutReply {
    calls: usize,
    succeeded: usize,
    failed: usize,
    sum: u64,
    results: Vec<Call>,
}

#[derive(Debug, Serialize)]
struct Call {
    call: usize,
    #[serde(flatten)]
    outcome: Outcome,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "lowercase")]
enum Outcome {
    Value(u64),
    Error(CallError),
}

pub async fn fanout(
    State(state): State<AppState>,
    Query(FanoutQuery { calls }): Query<FanoutQuery>,
) -> Result<Json<FanoutReply>, ApiError> {
    let upstream = state.upstream()?;
    let outcomes = join_all((0..calls).map(|call| upstream.value(call))).await;
    reply(&outcomes).map(Json)
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
