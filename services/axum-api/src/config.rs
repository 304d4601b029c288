//! The environment, read once at start. A bad value is refused in one line; nothing is guessed.

use std::net::SocketAddr;
use std::ops::RangeInclusive;
use std::thread::available_parallelism;
use std::time::Duration;

use axum::http::Uri;
use sqlx::postgres::PgConnectOptions;

use crate::fault::Plan;

const DEFAULT_ADDR: &str = "127.0.0.1:8080";
const DEFAULT_GRACE_MS: u64 = 5_000;
const DEFAULT_REQUEST_TIMEOUT_MS: u64 = 10_000;
/// Tokio's own default.
const DEFAULT_BLOCKING_THREADS: usize = 512;
const DEFAULT_DATABASE_POOL: u32 = 8;
const DEFAULT_DATABASE_TIMEOUT_MS: u64 = 1_000;
const DEFAULT_REDIS_TIMEOUT_MS: u64 = 250;
const DEFAULT_CACHE_TTL_S: u64 = 60;
const DEFAULT_UPSTREAM_TIMEOUT_MS: u64 = 500;

#[derive(Debug)]
pub struct Config {
    pub addr: SocketAddr,
    pub shutdown_grace: Duration,
    pub request_timeout: Duration,
    pub worker_threads: usize,
    pub blocking_threads: usize,
    pub faults: Option<Plan>,
    pub echo_zero_copy: bool,
    pub process_blocking_pool: bool,
    pub database_url: Option<PgConnectOptions>,
    pub database_pool: u32,
    pub database_timeout: Duration,
    pub redis_url: Option<redis::Client>,
    pub redis_timeout: Duration,
    pub cache_ttl_s: u64,
    /// Without a slash at its end.
    pub upstream_url: Option<String>,
    pub upstream_timeout: Duration,
}

impl Config {
    /// `get` looks a variable up. An empty value counts as not set.
    pub fn read(get: impl Fn(&str) -> Option<String>) -> Result<Self, String> {
        let get = |name: &str| get(name).filter(|value| !value.is_empty());
        let millis = |name, range, default| {
            let value = number(name, get(name), range)?.unwrap_or(default);
            Ok::<_, String>(Duration::from_millis(value))
        };
        // Tokio reads this variable too, but panics on a bad value.
        let workers = number(
            "TOKIO_WORKER_THREADS",
            get("TOKIO_WORKER_THREADS"),
            1..=1024,
        )?;
        let blocking = number("BLOCKING_THREADS", get("BLOCKING_THREADS"), 1..=16_384)?;
        Ok(Self {
            addr: address(get("ADDR"))?,
            shutdown_grace: millis("SHUTDOWN_GRACE_MS", 0..=600_000, DEFAULT_GRACE_MS)?,
            request_timeout: millis(
                "REQUEST_TIMEOUT_MS",
                1..=600_000,
                DEFAULT_REQUEST_TIMEOUT_MS,
            )?,
            worker_threads: workers
                .unwrap_or_else(|| available_parallelism().map_or(1, usize::from)),
            blocking_threads: blocking.unwrap_or(DEFAULT_BLOCKING_THREADS),
            faults: get("TAILGATE_FAULTS")
                .map(|spec| Plan::parse(&spec))
                .transpose()?,
            echo_zero_copy: switch("ECHO_ZERO_COPY", get("ECHO_ZERO_COPY"))?.unwrap_or(false),
            process_blocking_pool: switch("PROCESS_BLOCKING_POOL", get("PROCESS_BLOCKING_POOL"))?
                .unwrap_or(true),
            database_url: get("DATABASE_URL").map(|url| database(&url)).transpose()?,
            database_pool: number("DATABASE_POOL", get("DATABASE_POOL"), 1..=1000)?
                .unwrap_or(DEFAULT_DATABASE_POOL),
            database_timeout: millis(
                "DATABASE_TIMEOUT_MS",
                1..=600_000,
                DEFAULT_DATABASE_TIMEOUT_MS,
            )?,
            redis_url: get("REDIS_URL").map(|url| redis(&url)).transpose()?,
            redis_timeout: millis("REDIS_TIMEOUT_MS", 1..=600_000, DEFAULT_REDIS_TIMEOUT_MS)?,
            cache_ttl_s: number("CACHE_TTL_S", get("CACHE_TTL_S"), 1..=86_400)?
                .unwrap_or(DEFAULT_CACHE_TTL_S),
            upstream_url: get("UPSTREAM_URL").map(|url| upstream(&url)).transpose()?,
            upstream_timeout: millis(
                "UPSTREAM_TIMEOUT_MS",
                1..=600_000,
                DEFAULT_UPSTREAM_TIMEOUT_MS,
            )?,
        })
    }
}

// The messages do not repeat a URL: it may hold a password.

fn database(url: &str) -> Result<PgConnectOptions, String> {
    let known = url.starts_with("postgresql://") || url.starts_with("postgres://");
    let options = url.parse().ok().filter(|_| known);
    options
        .ok_or_else(|| "DATABASE_URL must be like postgresql://user@host:port/database".to_owned())
}

fn redis(url: &str) -> Result<redis::Client, String> {
    let client = redis::Client::open(url)
        .ok()
        .filter(|_| url.starts_with("redis://"));
    client.ok_or_else(|| "REDIS_URL must be like redis://host:port/number".to_owned())
}

fn upstream(url: &str) -> Result<String, String> {
    let is_base =
        |uri: &Uri| uri.scheme_str() == Some("http") && uri.path() == "/" && uri.query().is_none();
    if url.parse().is_ok_and(|uri| is_base(&uri)) {
        Ok(url.trim_end_matches('/').to_owned())
    } else {
        Err("UPSTREAM_URL must be like http://host:port, without a path".to_owned())
    }
}

fn switch(name: &str, value: Option<String>) -> Result<Option<bool>, String> {
    Ok(number(name, value, 0..=1)?.map(|number: u8| number == 1))
}

fn address(value: Option<String>) -> Result<SocketAddr, String> {
    let value = value.unwrap_or_else(|| DEFAULT_ADDR.to_owned());
    value.parse().map_err(|_| {
        format!("ADDR must be an IP address and a port such as {DEFAULT_ADDR}, got \"{value}\"")
    })
}

fn number<T>(
    name: &str,
    value: Option<String>,
    range: RangeInclusive<T>,
) -> Result<Option<T>, String>
where
    T: std::str::FromStr + PartialOrd + std::fmt::Display,
{
    let Some(value) = value else { return Ok(None) };
    // The standard parser also takes a leading plus.
    let digits = value.bytes().all(|byte| byte.is_ascii_digit());
    match value.parse() {
        Ok(number) if digits && range.contains(&number) => Ok(Some(number)),
        _ => Err(format!(
            "{name} must be a whole number from {} to {}, got \"{value}\"",
            range.start(),
            range.end()
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &str, value: &str) -> Result<Config, String> {
        Config::read(|asked| (asked == name).then(|| value.to_owned()))
    }

    #[test]
    fn defaults() {
        let config = read("ADDR", "").unwrap();
        assert_eq!(config.addr.to_string(), "127.0.0.1:8080");
        assert_eq!(config.shutdown_grace, Duration::from_secs(5));
        assert_eq!(config.request_timeout, Duration::from_secs(10));
        assert_eq!(config.blocking_threads, 512);
        assert!(config.worker_threads >= 1);
        assert_eq!(config.faults, None);
        assert!(!config.echo_zero_copy && config.process_blocking_pool);
        assert!(config.database_url.is_none() && config.redis_url.is_none());
        assert_eq!(config.upstream_url, None);
        assert_eq!(config.database_pool, 8);
        assert_eq!(config.database_timeout, Duration::from_secs(1));
        assert_eq!(config.redis_timeout, Duration::from_millis(250));
        assert_eq!(config.cache_ttl_s, 60);
        assert_eq!(config.upstream_timeout, Duration::from_millis(500));
    }

    #[test]
    fn values_are_taken() {
        let port = read("ADDR", "127.0.0.1:0").unwrap().addr.port();
        assert_eq!(port, 0);
        let grace = read("SHUTDOWN_GRACE_MS", "0").unwrap().shutdown_grace;
        assert_eq!(grace, Duration::ZERO);
        let workers = read("TOKIO_WORKER_THREADS", "3").unwrap().worker_threads;
        assert_eq!(workers, 3);
        let blocking = read("BLOCKING_THREADS", "7").unwrap().blocking_threads;
        assert_eq!(blocking, 7);
        assert!(read("ECHO_ZERO_COPY", "1").unwrap().echo_zero_copy);
        let pool = read("PROCESS_BLOCKING_POOL", "0").unwrap();
        assert!(!pool.process_blocking_pool);
        let database = read("DATABASE_URL", "postgresql://u@h:5/d").unwrap();
        assert_eq!(database.database_url.unwrap().get_host(), "h");
        let cache = read("REDIS_URL", "redis://127.0.0.1:6379/3").unwrap();
        assert!(cache.redis_url.is_some());
        for url in ["http://127.0.0.1:80", "http://127.0.0.1:80/"] {
            let upstream = read("UPSTREAM_URL", url).unwrap().upstream_url;
            assert_eq!(upstream.as_deref(), Some("http://127.0.0.1:80"));
        }
        assert!(
            read("TAILGATE_FAULTS", "latency_us=1")
                .unwrap()
                .faults
                .is_some()
        );
    }

    #[test]
    fn bad_values_are_refused_by_name() {
        let cases = [
            ("ADDR", "localhost"),
            ("ADDR", "127.0.0.1"),
            ("SHUTDOWN_GRACE_MS", "-1"),
            ("SHUTDOWN_GRACE_MS", "+1"),
            ("SHUTDOWN_GRACE_MS", "600001"),
            ("REQUEST_TIMEOUT_MS", "0"),
            ("TOKIO_WORKER_THREADS", "0"),
            ("BLOCKING_THREADS", "many"),
            ("TAILGATE_FAULTS", "nonsense=1"),
            ("ECHO_ZERO_COPY", "true"),
            ("PROCESS_BLOCKING_POOL", "2"),
            ("DATABASE_URL", "mysql://h/d"),
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
            let error = read(name, value).unwrap_err();
            assert!(error.starts_with(name), "{name}={value}: {error}");
            assert!(!error.contains('\n'));
        }
    }
}
