//! Runs the vectors of services/contract against the app, without a socket.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::Path;

use axum::body::{Body, to_bytes};
use axum::http::{HeaderMap, Request, StatusCode};
use axum_api::app;
use axum_api::config::Config;
use axum_api::fault::Plan;
use axum_api::state::AppState;
use serde::Deserialize;
use serde_json::Value;
use tower::ServiceExt;

const SERVICE: &str = "axum-api";
const TIMESTAMP: &str = "$timestamp";
const TIMESTAMP_LENGTH: usize = 30;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Vector {
    name: String,
    request: VectorRequest,
    expect: Expect,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct VectorRequest {
    method: String,
    path: String,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    body: Option<Value>,
    body_text: Option<String>,
    body_bytes: Option<Vec<Part>>,
}

#[derive(Deserialize)]
#[serde(untagged, deny_unknown_fields)]
enum Part {
    Text(String),
    Repeat { repeat: String, times: usize },
    Hex { hex: String },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expect {
    status: u16,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    text: Option<String>,
    json: Option<Value>,
    #[serde(default)]
    contains: Vec<String>,
}

impl VectorRequest {
    fn bytes(&self) -> Vec<u8> {
        if let Some(body) = &self.body {
            return serde_json::to_vec(body).unwrap();
        }
        if let Some(text) = &self.body_text {
            return text.clone().into_bytes();
        }
        let parts = self.body_bytes.iter().flatten();
        parts.flat_map(Part::bytes).collect()
    }
}

impl Part {
    fn bytes(&self) -> Vec<u8> {
        match self {
            Self::Text(text) => text.clone().into_bytes(),
            Self::Repeat { repeat, times } => repeat.repeat(*times).into_bytes(),
            Self::Hex { hex } => hex::decode(hex).unwrap(),
        }
    }
}

/// What is wrong with an answer, if anything.
fn mismatch(
    expect: &Expect,
    status: StatusCode,
    headers: &HeaderMap,
    body: &[u8],
) -> Option<String> {
    if status != expect.status {
        return Some(format!("status {status}, not {}", expect.status));
    }
    for (name, wanted) in &expect.headers {
        let got = headers.get(name).map(|value| value.to_str().unwrap());
        if got != Some(wanted) {
            return Some(format!("header {name} is {got:?}, not {wanted:?}"));
        }
    }
    let text = String::from_utf8_lossy(body);
    if let Some(wanted) = &expect.text {
        let wanted = fill_in(wanted, &text);
        if text != wanted {
            return Some(format!("body\n  {text}\nnot\n  {wanted}"));
        }
    }
    if let Some(wanted) = &expect.json {
        let got: Value = serde_json::from_str(&text).unwrap_or_default();
        if !json_matches(wanted, &got) {
            return Some(format!("body\n  {text}\nnot like\n  {wanted}"));
        }
    }
    let missing = expect.contains.iter().find(|part| !text.contains(*part));
    missing.map(|part| format!("body\n  {text}\nwithout {part:?}"))
}

/// The expected text with its placeholders replaced: the time by the answer's own, if it is one.
fn fill_in(wanted: &str, got: &str) -> String {
    let wanted = wanted.replace("$service", SERVICE);
    match wanted.find(TIMESTAMP) {
        Some(at) if got.get(at..at + TIMESTAMP_LENGTH).is_some_and(is_timestamp) => {
            wanted.replace(TIMESTAMP, &got[at..at + TIMESTAMP_LENGTH])
        }
        _ => wanted,
    }
}

fn is_timestamp(text: &str) -> bool {
    let shape = "0000-00-00T00:00:00.000000000Z";
    let digits_as_zeros = |c: char| if c.is_ascii_digit() { '0' } else { c };
    text.chars().map(digits_as_zeros).eq(shape.chars())
}

fn json_matches(wanted: &Value, got: &Value) -> bool {
    match (wanted, got) {
        (Value::String(placeholder), got) if placeholder.starts_with('$') => {
            match placeholder.as_str() {
                "$any-string" => got.is_string(),
                "$count" => got.is_u64(),
                other => panic!("unknown placeholder {other}"),
            }
        }
        (Value::Object(wanted), Value::Object(got)) => {
            wanted.keys().eq(got.keys())
                && wanted
                    .iter()
                    .all(|(key, value)| json_matches(value, &got[key]))
        }
        (Value::Array(wanted), Value::Array(got)) => {
            wanted.len() == got.len()
                && wanted
                    .iter()
                    .zip(got)
                    .all(|(wanted, got)| json_matches(wanted, got))
        }
        _ => wanted == got,
    }
}

/// Runs the vectors of a folder, each file against a service of its own.
async fn check_folder(folder: &str, args: &[String]) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut failures = Vec::new();
    let mut count = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            continue;
        }
        let file = path.file_name().unwrap().to_string_lossy().into_owned();
        let vectors: Vec<Vector> = serde_json::from_slice(&fs::read(&path).unwrap())
            .unwrap_or_else(|e| panic!("{file}: {e}"));
        let app = app(AppState::new(Config::from_args(args).unwrap()).unwrap());
        for vector in vectors {
            count += 1;
            let mut request = Request::builder()
                .method(vector.request.method.as_str())
                .uri(&vector.request.path);
            for (name, value) in &vector.request.headers {
                request = request.header(name, value);
            }
            let request = request.body(Body::from(vector.request.bytes())).unwrap();
            let response = app.clone().oneshot(request).await.unwrap();
            let (head, body) = response.into_parts();
            let body = to_bytes(body, usize::MAX).await.unwrap();
            if let Some(what) = mismatch(&vector.expect, head.status, &head.headers, &body) {
                failures.push(format!("{file}: {}: {what}", vector.name));
            }
        }
    }
    assert!(count > 0, "no vectors found");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

const VECTORS: &str = "../contract/vectors";
const DEPENDENCIES: [(&str, &str); 3] = [
    ("--database-url", "DATABASE_URL"),
    ("--redis-url", "REDIS_URL"),
    ("--upstream-url", "UPSTREAM_URL"),
];

#[tokio::test]
async fn vectors() {
    for echo_zero_copy in ["0", "1"] {
        check_folder(VECTORS, &[format!("--echo-zero-copy={echo_zero_copy}")]).await;
    }
}

#[tokio::test]
async fn vectors_with_dependencies() {
    let args: Option<Vec<String>> = DEPENDENCIES
        .iter()
        .map(|(option, name)| Some(format!("{option}={}", std::env::var(name).ok()?)))
        .collect();
    let Some(args) = args else {
        // Not through `eprintln!`: the test runner would keep it to itself.
        let names = DEPENDENCIES.map(|(_, name)| name).join(", ");
        writeln!(std::io::stderr(), "skipped: {names} not set").unwrap();
        return;
    };
    check_folder(&format!("{VECTORS}/with-dependencies"), &args).await;
}

#[test]
fn fault_specs() {
    #[derive(Deserialize)]
    struct Case {
        spec: String,
        error: Option<String>,
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../contract/faults.json");
    let cases: Vec<Case> = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    assert!(!cases.is_empty());
    for case in cases {
        let error = case.spec.parse::<Plan>().err();
        let error = error.map(|error| format!("TAILGATE_FAULTS: {error}"));
        assert_eq!(error, case.error, "{}", case.spec);
    }
}
