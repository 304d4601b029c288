//! What `TAILGATE_FAULTS` says, and what it means for the n-th request.

use std::str::FromStr;
use std::time::Duration;

use thiserror::Error;

use crate::paths;

/// Large enough for any use and small enough that no sum or unit of it overflows.
const MAX_AMOUNT: u64 = 1_000_000_000_000;

/// What `TAILGATE_FAULTS` asks for. A zero is a fault that is off.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct Plan {
    /// The variable's text.
    pub spec: String,
    /// None: all that faults can make worse.
    route: Option<&'static str>,
    latency_us: u64,
    slow_one_in: u64,
    slow_us: u64,
    stall_every_ms: u64,
    stall_us: u64,
    pub(super) keep_bytes: u64,
    pub(super) keep_bytes_per_request: u64,
    pub(super) cpu_us: u64,
    error_one_in: u64,
    /// Before listening.
    pub start_delay_ms: u64,
    crash_after: u64,
    n_plus_one: u64,
}

/// Keys with a number, and the least number each takes.
type Amount = (&'static str, u64, fn(&mut Plan) -> &mut u64);
const AMOUNTS: [Amount; 12] = [
    ("latency_us", 0, |plan| &mut plan.latency_us),
    ("slow_one_in", 1, |plan| &mut plan.slow_one_in),
    ("slow_us", 0, |plan| &mut plan.slow_us),
    ("stall_every_ms", 1, |plan| &mut plan.stall_every_ms),
    ("stall_us", 0, |plan| &mut plan.stall_us),
    ("keep_bytes", 0, |plan| &mut plan.keep_bytes),
    ("keep_bytes_per_request", 0, |plan| {
        &mut plan.keep_bytes_per_request
    }),
    ("cpu_us", 0, |plan| &mut plan.cpu_us),
    ("error_one_in", 1, |plan| &mut plan.error_one_in),
    ("start_delay_ms", 0, |plan| &mut plan.start_delay_ms),
    ("crash_after", 1, |plan| &mut plan.crash_after),
    ("n_plus_one", 0, |plan| &mut plan.n_plus_one),
];

/// Keys that mean nothing without each other.
const PAIRS: [(&str, &str); 2] = [("slow_one_in", "slow_us"), ("stall_every_ms", "stall_us")];

#[derive(Debug, Error)]
pub enum PlanError {
    #[error("{0} is given twice")]
    Repeated(String),
    #[error("route must be one of {routes}, got \"{0}\"", routes = paths::FAULTY.join(", "))]
    Route(String),
    #[error("unknown key \"{0}\"; valid keys: route, {amounts}", amounts = AMOUNTS.map(|(name, ..)| name).join(", "))]
    Key(String),
    #[error("{key} must be a whole number from {least} to {MAX_AMOUNT}, got \"{value}\"")]
    Amount {
        key: &'static str,
        least: u64,
        value: String,
    },
    #[error("{0} and {1} must be given together")]
    Alone(&'static str, &'static str),
    #[error("stall_us must be shorter than stall_every_ms")]
    EndlessStall,
}

impl FromStr for Plan {
    type Err = PlanError;

    fn from_str(spec: &str) -> Result<Self, PlanError> {
        let mut plan = Self {
            spec: spec.to_owned(),
            ..Self::default()
        };
        let mut seen = Vec::new();
        for item in spec.split(',') {
            let (key, value) = item.split_once('=').unwrap_or((item, ""));
            if seen.contains(&key) {
                return Err(PlanError::Repeated(key.to_owned()));
            }
            seen.push(key);
            if key == "route" {
                let route = paths::FAULTY.into_iter().find(|route| *route == value);
                plan.route = Some(route.ok_or_else(|| PlanError::Route(value.to_owned()))?);
            } else {
                plan.set_amount(key, value)?;
            }
        }
        for (one, other) in PAIRS {
            if seen.contains(&one) != seen.contains(&other) {
                return Err(PlanError::Alone(one, other));
            }
        }
        if plan.stall_every_ms > 0 && plan.stall_us >= plan.stall_every_ms * 1_000 {
            return Err(PlanError::EndlessStall);
        }
        Ok(plan)
    }
}

impl Plan {
    fn set_amount(&mut self, key: &str, value: &str) -> Result<(), PlanError> {
        let known = AMOUNTS.into_iter().find(|(name, ..)| *name == key);
        let (key, least, field) = known.ok_or_else(|| PlanError::Key(key.to_owned()))?;
        *field(self) = parse_amount(value, least).ok_or_else(|| PlanError::Amount {
            key,
            least,
            value: value.to_owned(),
        })?;
        Ok(())
    }

    pub fn covers(&self, path: &str) -> bool {
        self.route.is_none_or(|route| route == path)
    }

    /// How many orders of a summary get a query each.
    pub fn n_plus_one(&self) -> usize {
        if self.covers(paths::SUMMARY) {
            usize::try_from(self.n_plus_one).unwrap_or(usize::MAX)
        } else {
            0
        }
    }

    /// Extra latency of the `nth` request.
    pub(super) fn latency(&self, nth: u64) -> Duration {
        let slow = if every(self.slow_one_in, nth) {
            self.slow_us
        } else {
            0
        };
        Duration::from_micros(self.latency_us + slow)
    }

    /// How much of a stall is left at `since_start`. The first begins after one whole period.
    pub(super) fn stall_left(&self, since_start: Duration) -> Duration {
        let period = Duration::from_millis(self.stall_every_ms);
        if period.is_zero() || since_start < period {
            return Duration::ZERO;
        }
        let into_period = since_start.as_nanos() % period.as_nanos();
        let stall = Duration::from_micros(self.stall_us);
        let left = stall.as_nanos().saturating_sub(into_period);
        u64::try_from(left).map_or(Duration::MAX, Duration::from_nanos)
    }

    pub(super) fn fails(&self, nth: u64) -> bool {
        every(self.error_one_in, nth)
    }

    pub(super) fn crashes(&self, nth: u64) -> bool {
        self.crash_after > 0 && nth >= self.crash_after
    }
}

fn parse_amount(value: &str, least: u64) -> Option<u64> {
    // u64's own parser also takes a leading plus.
    let digits = value.bytes().all(|byte| byte.is_ascii_digit());
    let amount = value.parse().ok().filter(|_| digits)?;
    (least..=MAX_AMOUNT).contains(&amount).then_some(amount)
}

fn every(one_in: u64, nth: u64) -> bool {
    one_in > 0 && nth.is_multiple_of(one_in)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(spec: &str) -> Plan {
        spec.parse().unwrap()
    }

    #[test]
    fn every_nth_is_slow_and_every_nth_fails() {
        let plan = plan("latency_us=100,slow_one_in=3,slow_us=5000,error_one_in=2");
        let latencies_us: Vec<_> = (1..=6).map(|nth| plan.latency(nth).as_micros()).collect();
        assert_eq!(latencies_us, [100, 100, 5100, 100, 100, 5100]);
        let failing: Vec<_> = (1..=6).filter(|&nth| plan.fails(nth)).collect();
        assert_eq!(failing, [2, 4, 6]);
    }

    #[test]
    fn stalls_begin_after_each_whole_period() {
        let plan = plan("stall_every_ms=10,stall_us=2000");
        let cases_us = [
            (0, 0),
            (1_000, 0),
            (9_999, 0),
            (10_000, 2_000),
            (11_500, 500),
            (12_000, 0),
            (20_001, 1_999),
        ];
        for (at, left) in cases_us {
            let got = plan.stall_left(Duration::from_micros(at));
            assert_eq!(got, Duration::from_micros(left), "{at}");
        }
    }

    #[test]
    fn crashes_on_the_nth_only_if_asked() {
        assert!(!plan("crash_after=3").crashes(2));
        assert!(plan("crash_after=3").crashes(3));
        assert!(!plan("latency_us=1").crashes(1_000));
    }

    #[test]
    fn covers_all_routes_or_the_one_named() {
        let one = plan("route=/echo");
        assert!(one.covers("/echo") && !one.covers("/process"));
        let all = plan("latency_us=1");
        assert!(all.covers("/echo") && all.covers("/process"));
    }

    #[test]
    fn only_a_covered_summary_asks_more() {
        assert_eq!(plan("n_plus_one=3").n_plus_one(), 3);
        assert_eq!(
            plan("route=/users/{id}/summary,n_plus_one=3").n_plus_one(),
            3
        );
        assert_eq!(plan("route=/users/{id},n_plus_one=3").n_plus_one(), 0);
        assert_eq!(plan("latency_us=1").n_plus_one(), 0);
    }
}
