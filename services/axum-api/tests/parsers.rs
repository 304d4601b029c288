//! The parsers of requests on many small mutations of valid ones: none panics, and what is accepted says the same
//! when it is written again. The same numbers in each run; `fuzz/` goes further.

use axum_api::error::ApiError;
use axum_api::extract::parse;
use axum_api::routes::documents::Document;
use axum_api::routes::echo::{EchoRequest, Text};
use axum_api::routes::experiments::Experiment;
use serde::Serialize;

const MUTANTS: usize = 6_000;

const ECHO: &str =
    r#"{"id":18446744073709551615,"user_agent":"a\"\\\n\ud83d\ude00é","metadata":["x","","y"]}"#;
const DOCUMENT: &str = r#"{"title":"t","sections":[{"title":"é\u0000","paragraphs":["a b","\t"],"tags":{"k":"v","j":""},"sections":[{"title":"","paragraphs":[],"tags":{},"sections":[]}]},{"title":"u","paragraphs":["c"],"tags":{},"sections":[]}]}"#;
const EXPERIMENT: &str = r#"{"name":"n","traffic_percent":50,"variants":[{"name":"a","weight":1},{"name":"é","weight":1000}]}"#;

/// What mutations put in: bytes that mean something to a parser.
const PIECES: [&[u8]; 14] = [
    b"\"", b"\\", b"{", b"}", b"[", b"]", b",", b":", b"0", b"-", b"null", b"\\ud800", b"\xff",
    b"\xc3",
];

/// Knuth's MMIX generator: the upper bits of a linear congruence.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % limit
    }

    fn mutate(&mut self, text: &mut Vec<u8>) {
        let at = self.below(text.len() + 1);
        let until = (at + self.below(8)).min(text.len());
        match self.below(5) {
            0 => drop(text.drain(at..until)),
            1 => text.truncate(at),
            2 => {
                let again = text[at..until].to_vec();
                text.splice(at..at, again);
            }
            3 if at < text.len() => text[at] ^= 1 << self.below(8),
            _ => {
                let piece = PIECES[self.below(PIECES.len())];
                text.splice(at..at, piece.iter().copied());
            }
        }
    }
}

/// Runs `try_one` on mutants of `valid`; it tells whether one was accepted. Some must be, and some refused.
fn check(valid: &str, try_one: impl Fn(&[u8]) -> bool) {
    assert!(try_one(valid.as_bytes()), "{valid}");
    let mut numbers = Numbers(1);
    let mut accepted = 0;
    for _ in 0..MUTANTS {
        let mut mutant = valid.as_bytes().to_vec();
        for _ in 0..=numbers.below(4) {
            numbers.mutate(&mut mutant);
        }
        accepted += usize::from(try_one(&mutant));
    }
    assert!((1..MUTANTS).contains(&accepted), "{accepted}");
}

fn written<T: Serialize>(value: &T) -> Vec<u8> {
    serde_json::to_vec(value).unwrap()
}

#[test]
fn echo() {
    check(ECHO, |body| {
        let owned = parse::<EchoRequest<String>>(body);
        let borrowed = parse::<EchoRequest<Text>>(body);
        match (owned, borrowed) {
            (Ok(owned), Ok(borrowed)) => {
                assert_eq!(written(&owned), written(&borrowed));
                assert_eq!(parse(&written(&owned)), Ok(owned));
                true
            }
            (owned, borrowed) => {
                assert_eq!(owned.err(), borrowed.err());
                false
            }
        }
    });
}

#[test]
fn document() {
    check(DOCUMENT, |body| match parse::<Document>(body) {
        Ok(document) => {
            assert_eq!(parse(&written(&document)), Ok(document));
            true
        }
        Err(error) => {
            assert!([ApiError::InvalidJson, ApiError::InvalidDocument].contains(&error));
            false
        }
    });
}

#[test]
fn experiment() {
    check(EXPERIMENT, |body| match parse::<Experiment>(body) {
        Ok(experiment) => {
            assert_eq!(parse(&written(&experiment)), Ok(experiment));
            true
        }
        Err(error) => {
            assert!([ApiError::InvalidJson, ApiError::InvalidExperiment].contains(&error));
            false
        }
    });
}
