//! HTTP calls to the upstream: each within the time-out, its answer within a few bytes.

use std::time::Duration;

use reqwest::redirect::Policy;
use reqwest::{Client, StatusCode};
use serde::{Deserialize, Serialize};
use tokio::time::timeout;

use crate::error::ApiError;

/// Far more than a value takes.
const ANSWER_LIMIT: usize = 4096;

const LARGEST_VALUE: u64 = (1 << 53) - 1;

#[derive(Debug, Clone)]
pub struct Upstream {
    client: Client,
    base: String,
    timeout: Duration,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CallError {
    Timeout,
    Status,
    Body,
    Unreachable,
}

impl Upstream {
    pub fn new(base: String, timeout: Duration) -> reqwest::Result<Self> {
        let client = Client::builder()
            .no_proxy()
            .redirect(Policy::none())
            .build()?;
        Ok(Self {
            client,
            base,
            timeout,
        })
    }

    pub async fn value(&self, call: u64) -> Result<u64, CallError> {
        parse_value(&self.get(&format!("/value/{call}")).await?).ok_or(CallError::Body)
    }

    pub async fn check(&self) -> Result<(), ApiError> {
        match self.get("/healthz").await {
            // Whatever it says, it answers.
            Ok(_) | Err(CallError::Body) => Ok(()),
            Err(CallError::Timeout) => Err(ApiError::UpstreamTimeout),
            Err(_) => Err(ApiError::UpstreamUnavailable),
        }
    }

    async fn get(&self, path: &str) -> Result<Vec<u8>, CallError> {
        let url = format!("{}{path}", self.base);
        let answer = async {
            let mut response = self.client.get(url).send().await.map_err(unreachable)?;
            if response.status() != StatusCode::OK {
                return Err(CallError::Status);
            }
            let mut body = Vec::new();
            while let Some(chunk) = response.chunk().await.map_err(unreachable)? {
                body.extend_from_slice(&chunk);
                if body.len() > ANSWER_LIMIT {
                    return Err(CallError::Body);
                }
            }
            Ok(body)
        };
        timeout(self.timeout, answer)
            .await
            .unwrap_or(Err(CallError::Timeout))
    }
}

fn unreachable(_: reqwest::Error) -> CallError {
    CallError::Unreachable
}

fn parse_value(body: &[u8]) -> Option<u64> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Answer {
        value: u64,
    }
    let answer: Answer = serde_json::from_slice(body).ok()?;
    (answer.value <= LARGEST_VALUE).then_some(answer.value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_whole_and_of_53_bits() {
        let cases: [(&str, Option<u64>); 8] = [
            (r#"{"value":0}"#, Some(0)),
            (" {\"value\": 42}\n", Some(42)),
            (r#"{"value":9007199254740991}"#, Some(LARGEST_VALUE)),
            (r#"{"value":9007199254740992}"#, None),
            (r#"{"value":-1}"#, None),
            (r#"{"value":1.0}"#, None),
            (r#"{"value":"1"}"#, None),
            ("", None),
        ];
        for (body, expected) in cases {
            assert_eq!(parse_value(body.as_bytes()), expected, "{body}");
        }
    }
}
