//! The environment, read once at start. A bad value is refused in one line; nothing is guessed.

use std::net::SocketAddr;
use std::ops::RangeInclusive;
use std::thread::available_parallelism;
use std::time::Duration;

use crate::fault::Plan;

const DEFAULT_ADDR: &str = "127.0.0.1:8080";
const DEFAULT_GRACE_MS: u64 = 5_000;
const DEFAULT_REQUEST_TIMEOUT_MS: u64 = 10_000;
/// Tokio's own default.
const DEFAULT_BLOCKING_THREADS: usize = 512;

#[derive(Debug, PartialEq)]
pub struct Config {
    pub addr: SocketAddr,
    pub shutdown_grace: Duration,
    pub request_timeout: Duration,
    pub worker_threads: usize,
    pub blocking_threads: usize,
    pub faults: Option<Plan>,
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
        })
    }
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
        ];
        for (name, value) in cases {
            let error = read(name, value).unwrap_err();
            assert!(error.starts_with(name), "{name}={value}: {error}");
            assert!(!error.contains('\n'));
        }
    }
}
