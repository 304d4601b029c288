// Ordinary edits of axum-api that change no answer of its, two of each kind. Each is of one place
// alone, so that all of them fit on each other.
import { create, declare, type Edit, insert, moveOut, rename, replace, swap } from "../edit.ts";
import { TABLES, tableName } from "./tables.ts";

const LIB = "src/lib.rs";
const MAIN = "src/main.rs";

const edit = (kind: string, name: string, steps: Edit["steps"]): Edit => ({
  service: "axum-api",
  kind,
  name,
  steps,
});

/** Another release of a crate. The next line is where it comes from. */
function release(crate: string, from: Release, to: Release) {
  const entry = ({ version, checksum }: Release): string =>
    `name = "${crate}"
version = "${version}"
source = "registry+https://github.com/rust-lang/crates.io-index"
checksum = "${checksum}"`;
  return replace("Cargo.lock", entry(from), entry(to));
}

interface Release {
  version: string;
  checksum: string;
}

const TABLES_RS = `//! Mixing functions, checked at start where \`CHECK_TABLES\` is set.

type Mix = fn(u64) -> u64;

const ALL: [Mix; ${TABLES.length}] = [
${TABLES.map((_, nth) => `    ${tableName(nth)},`).join("\n")}
];

/// All of them, one on the other.
pub fn check(start: u64) -> u64 {
    ALL.iter().fold(start, |value, mix| mix(value))
}
${TABLES.map(
  ({ factor, turn }, nth) => `
fn ${tableName(nth)}(value: u64) -> u64 {
    value.wrapping_mul(${factor}).rotate_left(${turn}) ^ (value >> ${64 - turn})
}
`,
).join("")}`;

export const RUST_EDITS: readonly Edit[] = [
  edit("route", "version", [
    create(
      "src/routes/version.rs",
      `//! \`GET /version\`: what runs here.

pub async fn version() -> &'static str {
    concat!("axum-api ", env!("CARGO_PKG_VERSION"), "\\n")
}
`,
    ),
    insert("src/routes/mod.rs", "pub mod users;", "pub mod version;"),
    insert(
      "src/paths.rs",
      `pub const FANOUT: &str = "/fanout";`,
      `pub const VERSION: &str = "/version";`,
    ),
    replace(
      LIB,
      "use crate::routes::{documents, echo, experiments, fanout, health, hello, process, summary, users};",
      `use crate::routes::{
    documents, echo, experiments, fanout, health, hello, process, summary, users, version,
};`,
    ),
    insert(
      LIB,
      "        (paths::FANOUT, get(fanout::fanout)),",
      "        (paths::VERSION, get(version::version)),",
    ),
  ]),
  edit("route", "livez", [
    insert(
      "src/paths.rs",
      `pub const METRICS: &str = "/metrics";`,
      `pub const LIVEZ: &str = "/livez";`,
    ),
    declare(
      "src/routes/health.rs",
      "pub async fn metrics(",
      `/// That the process answers; nothing is asked of what it depends on.
pub async fn livez() -> &'static str {
    "ok\\n"
}`,
    ),
    replace(
      LIB,
      "        .route(paths::METRICS, get(health::metrics));",
      `        .route(paths::METRICS, get(health::metrics))
        .route(paths::LIVEZ, get(health::livez));`,
    ),
  ]),

  edit("split", "echo", [
    replace(
      "src/routes/echo.rs",
      `    let reply = EchoReply {
        id: request.id,
        user_agent: request.user_agent,
        metadata: request.metadata,
        server_timestamp: Utc::now().to_rfc3339_opts(SecondsFormat::Nanos, true),
        processed_by: "axum-api",
        padding: &PADDING[..body.len().saturating_sub(ADDED_BYTES)],
    };
    Ok(Json(reply).into_response())
}
`,
      `    Ok(Json(reply_to(request, body.len())).into_response())
}

fn reply_to<S>(request: EchoRequest<S>, length: usize) -> EchoReply<S> {
    EchoReply {
        id: request.id,
        user_agent: request.user_agent,
        metadata: request.metadata,
        server_timestamp: Utc::now().to_rfc3339_opts(SecondsFormat::Nanos, true),
        processed_by: "axum-api",
        padding: &PADDING[..length.saturating_sub(ADDED_BYTES)],
    }
}
`,
    ),
  ]),
  edit("split", "process", [
    replace(
      "src/routes/process.rs",
      `    if !(1..=INPUT_LIMIT).contains(&job.input.len()) {
        return Err(ApiError::InvalidInput);
    }
`,
      `    check(&job)?;
`,
    ),
    declare(
      "src/routes/process.rs",
      "pub async fn process(",
      `fn check(job: &Job) -> Result<(), ApiError> {
    if (1..=INPUT_LIMIT).contains(&job.input.len()) {
        Ok(())
    } else {
        Err(ApiError::InvalidInput)
    }
}`,
    ),
  ]),

  // Both are part of the names of what is compiled for them, so that they are in the program.
  edit("rename", "inject", [rename("inject", "worsen")]),
  edit("rename", "JsonBytes", [rename("JsonBytes", "JsonText")]),

  edit("move", "is_json", [
    moveOut("src/extract.rs", "fn is_json(", {
      into: "src/media.rs",
      head: `//! What a request says that its body is.

use axum::http::HeaderMap;
use axum::http::header::CONTENT_TYPE;
`,
    }),
    replace("src/media.rs", "fn is_json(", "pub fn is_json("),
    replace(
      "src/extract.rs",
      `use axum::http::HeaderMap;
use axum::http::header::CONTENT_TYPE;
`,
      "",
    ),
    insert("src/extract.rs", "use crate::error::ApiError;", "use crate::media::is_json;"),
    insert(LIB, "pub mod fault;", "pub mod media;"),
  ]),
  edit("move", "count_words", [
    moveOut("src/routes/documents.rs", "fn count_words(", {
      into: "src/words.rs",
      head: "//! Words of a text.\n",
    }),
    replace("src/words.rs", "fn count_words(", "pub fn count_words("),
    insert(
      "src/routes/documents.rs",
      "use crate::extract::{Input, Strict};",
      "use crate::words::count_words;",
    ),
    insert(LIB, "pub mod upstream;", "pub mod words;"),
  ]),

  edit("module", "describe", [
    create(
      "src/describe.rs",
      `//! What the service answers, for people: printed at start where \`DESCRIBE\` is set.

use crate::paths;

pub fn describe() -> String {
    let mut lines = vec![format!("operators: {} {}", paths::HEALTHZ, paths::METRICS)];
    for path in paths::FAULTY {
        let depth = path.split('/').count() - 1;
        lines.push(format!("{}{path}", "  ".repeat(depth)));
    }
    lines.join("\\n")
}
`,
    ),
    insert(LIB, "pub mod database;", "pub mod describe;"),
    insert(
      MAIN,
      "fn main() -> ExitCode {",
      `    if std::env::var_os("DESCRIBE").is_some() {
        println!("{}", axum_api::describe::describe());
        return ExitCode::SUCCESS;
    }`,
    ),
  ]),
  edit("module", "tables", [
    create("src/tables.rs", TABLES_RS),
    insert(LIB, "pub mod state;", "pub mod tables;"),
    insert(
      MAIN,
      "fn start(config: Config) -> anyhow::Result<()> {",
      `    if let Some(start) = std::env::var_os("CHECK_TABLES") {
        println!("{}", axum_api::tables::check(start.len() as u64));
        return Ok(());
    }`,
    ),
  ]),

  edit("log", "cut off", [
    replace(
      MAIN,
      "axum-api: requests were still open after SHUTDOWN_GRACE_MS and were cut off",
      "axum-api: after SHUTDOWN_GRACE_MS requests were still open, and were cut off",
    ),
  ]),
  edit("log", "signals", [
    replace(MAIN, `"cannot handle signals"`, `"cannot handle SIGTERM and SIGINT"`),
  ]),

  edit("error", "bad URL", [
    replace("src/config.rs", `#[error("must be like {0}")]`, `#[error("must be a URL like {0}")]`),
  ]),
  edit("error", "state", [
    replace(
      "src/state.rs",
      `#[error("cannot set up the metrics")]`,
      `#[error("the registry of the metrics cannot be set up")]`,
    ),
  ]),

  edit("dependency", "anyhow", [
    release(
      "anyhow",
      {
        version: "1.0.104",
        checksum: "330a5ed07fa54e4702c9d6c4174f74427fc0ef6e214bbd677ae50a5099946470",
      },
      {
        version: "1.0.105",
        checksum: "2cb931c189b85683d69a5cfad41d4d418671e1ac413dd209f3f2fc31e3cfd902",
      },
    ),
  ]),
  edit("dependency", "xxhash-rust", [
    release(
      "xxhash-rust",
      {
        version: "0.8.19",
        checksum: "550a2b930b62486a393c52d5c3b84bff264b28aa437ed64694d31e93b1757af7",
      },
      {
        version: "0.8.21",
        checksum: "40de123dbb523ebcc00d61ec01840ad192578afc378d859f3429caa38308fad5",
      },
    ),
  ]),

  edit("reorder", "process", [
    swap("src/routes/process.rs", "fn run(", "fn parse_budget("),
    swap("src/routes/process.rs", "fn read_budget<", "fn reply("),
  ]),
  edit("reorder", "extract", [
    swap("src/extract.rs", "pub struct UserId(", "pub struct Strict<"),
    swap("src/extract.rs", "impl<T: Input + DeserializeOwned, S: Sync>", "pub fn parse<"),
  ]),

  edit("constant", "name", [
    replace("src/routes/echo.rs", `processed_by: "axum-api",`, "processed_by: NAME,"),
    declare("src/routes/echo.rs", "const ADDED_BYTES:", `const NAME: &str = "axum-api";`),
  ]),
  edit("constant", "health", [
    replace("src/upstream.rs", `self.get("/healthz").await`, "self.get(HEALTH).await"),
    declare("src/upstream.rs", "const LARGEST_VALUE:", `const HEALTH: &str = "/healthz";`),
  ]),

  edit("field", "state", [
    insert(
      "src/state.rs",
      "    pub upstream: Option<Upstream>,",
      "    /// When the service was set up.\n    pub started: Instant,",
    ),
    insert(
      "src/state.rs",
      "                .transpose()?,",
      "            started: Instant::now(),",
    ),
    replace("src/state.rs", "use std::time::Duration;", "use std::time::{Duration, Instant};"),
  ]),
  edit("field", "metrics", [
    replace(
      "src/metrics.rs",
      `    requests: HistogramVec,
}`,
      `    requests: HistogramVec,
    /// Since when they count.
    pub since: Instant,
}`,
    ),
    replace(
      "src/metrics.rs",
      "        Ok(Self { registry, requests })",
      `        Ok(Self {
            registry,
            requests,
            since: Instant::now(),
        })`,
    ),
    replace("src/metrics.rs", "use std::time::Duration;", "use std::time::{Duration, Instant};"),
  ]),

  edit("text", "version", [
    replace(
      "Cargo.toml",
      `name = "axum-api"
version = "0.1.0"`,
      `name = "axum-api"
version = "0.1.1"`,
    ),
    replace(
      "Cargo.lock",
      `name = "axum-api"
version = "0.1.0"`,
      `name = "axum-api"
version = "0.1.1"`,
    ),
  ]),
  edit("text", "help", [
    replace(
      "src/config.rs",
      "    /// Bound on a graceful stop\n",
      "    /// Bound on a graceful stop, after which open requests are cut off\n",
    ),
  ]),
];
