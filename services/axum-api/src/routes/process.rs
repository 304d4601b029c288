//! `GET /process`: a few milliseconds of pure CPU. It runs on tokio's blocking pool: on an async worker it
//! would hold up every other connection of that worker. `PROCESS_BLOCKING_POOL=0` does just that, to show it.

use std::time::{Duration, Instant};

use axum::Json;
use axum::extract::State;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};
use sha2::{Digest, Sha256};
use tokio::task::spawn_blocking;

use crate::error::ApiError;
use crate::extract::{Input, Query};
use crate::state::AppState;

/// About 2 ms on one core of the machine the contract was written on; the same in both services.
const ROUNDS: u64 = 24_000;

/// With `for`, the clock is read once in this many rounds (over 1 µs), so that reading it is not the work.
const ROUNDS_PER_CLOCK: u64 = 16;

const INPUT_LIMIT: usize = 1024;
const FOR_LIMIT: Duration = Duration::from_millis(100);

#[derive(Debug, Deserialize)]
pub struct Job {
    #[serde(default)]
    input: String,
    /// None: a fixed number of rounds.
    #[serde(rename = "for", default, deserialize_with = "read_budget")]
    budget: Option<Duration>,
}

impl Input for Job {
    const INVALID: ApiError = ApiError::InvalidFor;
}

#[derive(Debug, Serialize)]
pub struct ProcessReply {
    digest: String,
    rounds: u64,
}

pub async fn process(
    State(state): State<AppState>,
    Query(job): Query<Job>,
) -> Result<Json<ProcessReply>, ApiError> {
    if !(1..=INPUT_LIMIT).contains(&job.input.len()) {
        return Err(ApiError::InvalidInput);
    }
    if !state.process_blocking_pool {
        return Ok(Json(run(&job)));
    }
    let reply = spawn_blocking(move || run(&job)).await;
    reply.map(Json).map_err(|_| ApiError::Internal)
}

/// The budget's clock starts here, on the thread that works: time spent waiting for one is not work.
fn run(job: &Job) -> ProcessReply {
    let input = job.input.as_bytes();
    match job.budget {
        None => hash_rounds(input, ROUNDS),
        Some(budget) => hash_for(input, budget),
    }
}

fn read_budget<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Duration>, D::Error> {
    let text = String::deserialize(deserializer)?;
    let budget = parse_budget(&text).ok_or_else(|| D::Error::custom("not a time in range"))?;
    Ok(Some(budget))
}

fn parse_budget(text: &str) -> Option<Duration> {
    let (count, unit): (_, fn(u64) -> Duration) = match text.strip_suffix("us") {
        Some(count) => (count, Duration::from_micros),
        None => (text.strip_suffix("ms")?, Duration::from_millis),
    };
    let budget = unit(count.parse().ok()?);
    (Duration::from_micros(1)..=FOR_LIMIT)
        .contains(&budget)
        .then_some(budget)
}

/// SHA-256 of the input, then of the digest before, `rounds` times in all.
fn hash_rounds(input: &[u8], rounds: u64) -> ProcessReply {
    let mut digest = Sha256::digest(input);
    for _ in 1..rounds {
        digest = Sha256::digest(digest);
    }
    reply(&digest, rounds)
}

fn hash_for(input: &[u8], budget: Duration) -> ProcessReply {
    let started = Instant::now();
    let mut digest = Sha256::digest(input);
    let mut rounds: u64 = 1;
    while !rounds.is_multiple_of(ROUNDS_PER_CLOCK) || started.elapsed() < budget {
        digest = Sha256::digest(digest);
        rounds += 1;
    }
    reply(&digest, rounds)
}

fn reply(digest: &[u8], rounds: u64) -> ProcessReply {
    ProcessReply {
        digest: hex::encode(digest),
        rounds,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_round_is_plain_sha256() {
        let reply = hash_rounds(b"abc", 1);
        assert_eq!(
            reply.digest,
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }

    #[test]
    fn a_budget_of_time_is_spent_and_its_rounds_are_true() {
        let budget = Duration::from_millis(3);
        let started = Instant::now();
        let timed = hash_for(b"abc", budget);
        assert!(started.elapsed() >= budget);
        assert_eq!(timed.digest, hash_rounds(b"abc", timed.rounds).digest);
    }

    #[test]
    fn budgets_are_whole_and_bounded() {
        let cases: [(&str, Option<u64>); 13] = [
            ("1us", Some(1)),
            ("2ms", Some(2_000)),
            ("007us", Some(7)),
            ("100ms", Some(100_000)),
            ("100000us", Some(100_000)),
            ("0us", None),
            ("100001us", None),
            ("101ms", None),
            ("2", None),
            ("ms", None),
            ("1.5ms", None),
            ("2s", None),
            ("99999999999999999999ms", None),
        ];
        for (text, expected_us) in cases {
            let expected = expected_us.map(Duration::from_micros);
            assert_eq!(parse_budget(text), expected, "{text}");
        }
    }
}
