//! `POST /experiments`: checks an experiment and gives each variant its share of the traffic.

use std::collections::HashSet;

use axum::Json;
use chrono::{DateTime, SecondsFormat, Utc};
use md5::{Digest, Md5};
use serde::{Deserialize, Serialize, Serializer};

use crate::error::ApiError;
use crate::extract::{Input, Query, Strict};

/// A share is a whole number of these parts.
const WHOLE: u64 = 10_000;

#[derive(Debug, Deserialize)]
pub struct ExperimentQuery {
    hash: Option<Hash>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Hash {
    Md5,
}

impl Input for ExperimentQuery {
    const INVALID: ApiError = ApiError::InvalidHash;
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Experiment {
    name: String,
    traffic_percent: u64,
    variants: Vec<Variant>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Variant {
    name: String,
    weight: u64,
}

impl Input for Experiment {
    const INVALID: ApiError = ApiError::InvalidExperiment;

    fn is_valid(&self) -> bool {
        let mut names = HashSet::new();
        (1..=200).contains(&self.name.chars().count())
            && self.traffic_percent <= 100
            && (1..=20).contains(&self.variants.len())
            && self.variants.iter().all(|variant| {
                (1..=64).contains(&variant.name.chars().count())
                    && (1..=1000).contains(&variant.weight)
                    && names.insert(&variant.name)
            })
    }
}

#[derive(Debug, Serialize)]
pub struct ExperimentReply {
    name: String,
    traffic_percent: u64,
    variants: Vec<VariantReply>,
    created_at: String,
}

#[derive(Debug, Serialize)]
struct VariantReply {
    name: String,
    weight: u64,
    #[serde(serialize_with = "write_share")]
    share: u64,
}

pub async fn experiments(
    Query(query): Query<ExperimentQuery>,
    Strict(mut experiment): Strict<Experiment>,
) -> Json<ExperimentReply> {
    let now = Utc::now();
    if query.hash.is_some() {
        experiment.name = hash_name(&experiment.name, now);
    }
    Json(reply(experiment, now))
}

fn hash_name(name: &str, now: DateTime<Utc>) -> String {
    hex::encode(Md5::digest(format!("{name}{}", now.timestamp())))
}

fn reply(experiment: Experiment, now: DateTime<Utc>) -> ExperimentReply {
    let variants = experiment.variants;
    let sum: u64 = variants.iter().map(|variant| variant.weight).sum();
    let variants = variants.into_iter().map(|variant| VariantReply {
        name: variant.name,
        weight: variant.weight,
        // Half away from zero, in integers.
        share: (2 * WHOLE * variant.weight + sum) / (2 * sum),
    });
    ExperimentReply {
        name: experiment.name,
        traffic_percent: experiment.traffic_percent,
        variants: variants.collect(),
        created_at: now.to_rfc3339_opts(SecondsFormat::Nanos, true),
    }
}

/// The number nearest to so many parts is written as their decimals; only one whole would be `1.0`.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
fn write_share<S: Serializer>(parts: &u64, serializer: S) -> Result<S::Ok, S::Error> {
    match u32::try_from(*parts) {
        Ok(parts) if u64::from(parts) < WHOLE => {
            serializer.serialize_f64(f64::from(parts) / 10_000.0)
        }
        _ => serializer.serialize_u64(parts / WHOLE),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_share_is_written_with_its_own_decimals() {
        for parts in 1..=WHOLE {
            let variant = VariantReply {
                name: String::new(),
                weight: 1,
                share: parts,
            };
            let decimals = format!("{}.{:04}", parts / WHOLE, parts % WHOLE);
            let share = decimals.trim_end_matches('0').trim_end_matches('.');
            let expected = format!(r#"{{"name":"","weight":1,"share":{share}}}"#);
            assert_eq!(serde_json::to_string(&variant).unwrap(), expected);
        }
    }

    #[test]
    fn the_hash_is_of_name_and_second() {
        let now = DateTime::from_timestamp(1_700_000_000, 999_999_999).unwrap();
        // printf a1700000000 | md5sum
        assert_eq!(hash_name("a", now), "c18acb11f3e50ae82321aca3f1896b35");
    }
}
