//! The environment, read once at start. A bad value is refused; nothing is guessed.

use std::error::Error as _;
use std::ffi::{OsStr, OsString};
use std::net::SocketAddr;
use std::ops::RangeInclusive;
use std::thread::available_parallelism;

use axum::http::Uri;
use clap::builder::{RangedU64ValueParser, Resettable, TypedValueParser};
use clap::error::{ContextKind, ErrorKind};
use clap::{Arg, ArgAction, CommandFactory, FromArgMatches, Parser};
use redis::IntoConnectionInfo;
use redis::io::tcp::TcpSettings;
use sqlx::postgres::PgConnectOptions;
use thiserror::Error;

use crate::fault::Plan;

/// The reference service on axum. Each option is also a variable of the environment.
#[derive(Debug, Parser)]
pub struct Config {
    /// IP address and port; port 0 lets the system choose
    #[arg(long, env, default_value = "127.0.0.1:8080")]
    pub addr: SocketAddr,
    /// Bound on a graceful stop
    #[arg(long, env, default_value = "5000", value_parser = whole::<u64>(0..=600_000))]
    pub shutdown_grace_ms: u64,
    /// Bound on the arrival of a request body
    #[arg(long, env, default_value = "10000", value_parser = whole::<u64>(1..=600_000))]
    pub request_timeout_ms: u64,
    /// Async workers [default: the cores]
    #[arg(long, env, default_value_t = cores(), hide_default_value = true, value_parser = whole::<usize>(1..=1024))]
    pub tokio_worker_threads: usize,
    /// Size of tokio's blocking pool, which runs /process
    #[arg(long, env, default_value = "512", value_parser = whole::<usize>(1..=16_384))]
    pub blocking_threads: usize,
    /// Makes the service worse on purpose
    #[arg(long, env)]
    pub tailgate_faults: Option<Plan>,
    /// 1 reads the strings of /echo without copying them
    #[arg(long, env, default_value = "0", action = ArgAction::Set, value_parser = switch())]
    pub echo_zero_copy: bool,
    /// 0 hashes on the async worker, which holds up its other connections
    #[arg(long, env, default_value = "1", action = ArgAction::Set, value_parser = switch())]
    pub process_blocking_pool: bool,
    /// postgresql://user@host:port/database
    #[arg(long, env, hide_env_values = true, value_parser = database)]
    pub database_url: Option<PgConnectOptions>,
    /// Connections, all opened at start
    #[arg(long, env, default_value = "8", value_parser = whole::<u32>(1..=1000))]
    pub database_pool: u32,
    /// Bound on a request's use of the database
    #[arg(long, env, default_value = "1000", value_parser = whole::<u64>(1..=600_000))]
    pub database_timeout_ms: u64,
    /// redis://host:port/number
    #[arg(long, env, hide_env_values = true, value_parser = redis)]
    pub redis_url: Option<redis::Client>,
    /// Bound on one use of Redis
    #[arg(long, env, default_value = "250", value_parser = whole::<u64>(1..=600_000))]
    pub redis_timeout_ms: u64,
    /// How long a user stays in the cache
    #[arg(long, env, default_value = "60", value_parser = whole::<u64>(1..=86_400))]
    pub cache_ttl_s: u64,
    /// http://host:port, without a path
    #[arg(long, env, value_parser = upstream)]
    pub upstream_url: Option<String>,
    /// Bound on one call of the upstream
    #[arg(long, env, default_value = "500", value_parser = whole::<u64>(1..=600_000))]
    pub upstream_timeout_ms: u64,
}

impl Config {
    /// From the arguments and the environment, where an empty value counts as not set.
    pub fn load() -> Result<Self, clap::Error> {
        let is_empty = |name: &OsStr| std::env::var_os(name).is_some_and(|value| value.is_empty());
        Self::read(std::env::args_os(), |arg| match arg.get_env() {
            Some(name) if is_empty(name) => without_env(arg),
            _ => arg,
        })
    }

    /// From arguments alone, such as `--echo-zero-copy=1`.
    pub fn from_args<T: Into<OsString> + Clone>(
        args: impl IntoIterator<Item = T>,
    ) -> Result<Self, clap::Error> {
        let args = args.into_iter().map(Into::into);
        Self::read(std::iter::once(OsString::new()).chain(args), without_env)
    }

    fn read(
        args: impl Iterator<Item = OsString>,
        change: impl FnMut(Arg) -> Arg,
    ) -> Result<Self, clap::Error> {
        let matches = Self::command()
            .mut_args(change)
            .try_get_matches_from(args)?;
        Self::from_arg_matches(&matches)
    }
}

fn without_env(arg: Arg) -> Arg {
    arg.env(Resettable::Reset)
}

/// The variable that is bad and why, in one line. No URL is repeated: it may hold a password.
pub fn explain(error: &clap::Error) -> Option<String> {
    if error.kind() != ErrorKind::ValueValidation {
        return None;
    }
    let shown = error.get(ContextKind::InvalidArg)?.to_string();
    let mut command = Config::command();
    command.build();
    let arg = command
        .get_arguments()
        .find(|arg| arg.to_string() == shown)?;
    Some(format!("{}: {}", arg.get_env()?.display(), error.source()?))
}

fn whole<T: TryFrom<u64> + Clone + Send + Sync>(
    range: RangeInclusive<u64>,
) -> RangedU64ValueParser<T> {
    RangedU64ValueParser::new().range(range)
}

fn switch() -> impl TypedValueParser<Value = bool> {
    whole::<u8>(0..=1).map(|number| number == 1)
}

fn cores() -> usize {
    available_parallelism().map_or(1, usize::from)
}

#[derive(Debug, Error)]
#[error("must be like {0}")]
struct BadUrl(&'static str);

fn database(url: &str) -> Result<PgConnectOptions, BadUrl> {
    let known = url.starts_with("postgresql://") || url.starts_with("postgres://");
    let options = url.parse().ok().filter(|_| known);
    options.ok_or(BadUrl("postgresql://user@host:port/database"))
}

/// Sends each command at once, as Go does: the connection is shared, and Nagle's algorithm would keep a command
/// back until those before it are answered.
fn redis(url: &str) -> Result<redis::Client, BadUrl> {
    let at_once = TcpSettings::default().set_nodelay(true);
    let known = url.starts_with("redis://");
    let info = url.into_connection_info().ok().filter(|_| known);
    info.and_then(|info| redis::Client::open(info.set_tcp_settings(at_once)).ok())
        .ok_or(BadUrl("redis://host:port/number"))
}

/// Without a slash at its end.
fn upstream(url: &str) -> Result<String, BadUrl> {
    let uri: Option<Uri> = url.parse().ok();
    uri.filter(|uri| uri.scheme_str() == Some("http") && uri.path() == "/" && uri.query().is_none())
        .map(|_| url.trim_end_matches('/').to_owned())
        .ok_or(BadUrl("http://host:port, without a path"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &str, value: &str) -> Result<Config, clap::Error> {
        let option = name.to_lowercase().replace('_', "-");
        Config::from_args([format!("--{option}={value}")])
    }

    #[test]
    fn defaults() {
        let config = Config::from_args([""; 0]).unwrap();
        assert_eq!(config.addr.to_string(), "127.0.0.1:8080");
        assert_eq!(config.shutdown_grace_ms, 5_000);
        assert_eq!(config.request_timeout_ms, 10_000);
        assert_eq!(config.blocking_threads, 512);
        assert!(config.tokio_worker_threads >= 1);
        assert_eq!(config.tailgate_faults, None);
        assert!(!config.echo_zero_copy && config.process_blocking_pool);
        assert!(config.database_url.is_none() && config.redis_url.is_none());
        assert_eq!(config.upstream_url, None);
        assert_eq!(config.database_pool, 8);
        assert_eq!(config.database_timeout_ms, 1_000);
        assert_eq!(config.redis_timeout_ms, 250);
        assert_eq!(config.cache_ttl_s, 60);
        assert_eq!(config.upstream_timeout_ms, 500);
    }

    #[test]
    fn values_are_taken() {
        assert_eq!(read("ADDR", "127.0.0.1:0").unwrap().addr.port(), 0);
        assert_eq!(read("SHUTDOWN_GRACE_MS", "0").unwrap().shutdown_grace_ms, 0);
        let workers = read("TOKIO_WORKER_THREADS", "3").unwrap();
        assert_eq!(workers.tokio_worker_threads, 3);
        let blocking = read("BLOCKING_THREADS", "7").unwrap();
        assert_eq!(blocking.blocking_threads, 7);
        assert!(read("ECHO_ZERO_COPY", "1").unwrap().echo_zero_copy);
        let pool = read("PROCESS_BLOCKING_POOL", "0").unwrap();
        assert!(!pool.process_blocking_pool);
        let database = read("DATABASE_URL", "postgresql://u@h:5/d").unwrap();
        assert_eq!(database.database_url.unwrap().get_host(), "h");
        let cache = read("REDIS_URL", "redis://127.0.0.1:6379/3").unwrap();
        let cache = cache.redis_url.unwrap();
        assert!(cache.get_connection_info().tcp_settings().nodelay());
        for url in ["http://127.0.0.1:80", "http://127.0.0.1:80/"] {
            let upstream = read("UPSTREAM_URL", url).unwrap().upstream_url;
            assert_eq!(upstream.as_deref(), Some("http://127.0.0.1:80"));
        }
        let faults = read("TAILGATE_FAULTS", "latency_us=1").unwrap();
        assert!(faults.tailgate_faults.is_some());
    }

    #[test]
    fn bad_values_are_refused_by_name() {
        let cases = [
            ("ADDR", "localhost"),
            ("ADDR", "127.0.0.1"),
            ("SHUTDOWN_GRACE_MS", "-1"),
            ("SHUTDOWN_GRACE_MS", "600001"),
            ("REQUEST_TIMEOUT_MS", "0"),
            ("TOKIO_WORKER_THREADS", "0"),
            ("BLOCKING_THREADS", "many"),
            ("TAILGATE_FAULTS", "nonsense=1"),
            ("ECHO_ZERO_COPY", "true"),
            ("PROCESS_BLOCKING_POOL", "2"),
            ("DATABASE_URL", "mysql://u:secret@h/d"),
            ("DATABASE_URL", "postgresql://h:port/d"),
            ("DATABASE_POOL", "0"),
            ("DATABASE_POOL", "1001"),
            ("DATABASE_TIMEOUT_MS", "0"),
            ("REDIS_URL", "127.0.0.1:6379"),
            ("REDIS_URL", "redis://h/x"),
            ("REDIS_TIMEOUT_MS", "600001"),
            ("CACHE_TTL_S", "86401"),
            ("UPSTREAM_URL", "https://h"),
            ("UPSTREAM_URL", "http://h/path"),
            ("UPSTREAM_URL", "h:80"),
            ("UPSTREAM_TIMEOUT_MS", "x"),
        ];
        for (name, value) in cases {
            let line = explain(&read(name, value).unwrap_err()).unwrap();
            assert!(
                line.starts_with(&format!("{name}: ")),
                "{name}={value}: {line}"
            );
            assert!(!line.contains('\n') && !line.contains("secret"), "{line}");
        }
    }
}
