//! Faults on demand: makes the service worse in a known way, so that the power of whatever measures it can be
//! measured. Off unless `TAILGATE_FAULTS` is set; then a layer around the chosen routes, never around the
//! operator's own.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::{Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};

use crate::error::ApiError;
use crate::routes::{documents, echo, experiments, fanout, hello, process, summary, users};
use crate::state::AppState;

/// Routes that can be made worse.
const ROUTES: [&str; 8] = [
    echo::PATH,
    process::PATH,
    experiments::PATH,
    hello::PATH,
    documents::PATH,
    users::PATH,
    summary::PATH,
    fanout::PATH,
];

const CRASH_EXIT_CODE: i32 = 70;

/// Large enough for any use and small enough that no sum or unit of it overflows.
const MAX_AMOUNT: u64 = 1_000_000_000_000;

/// Timers of both runtimes are about 1 ms coarse, which would drown an injected 300 µs. So waits up to this
/// long are spun, and longer ones sleep until this long before their end and spin the rest. A spin holds its
/// thread: with more concurrent requests than cores, waits add up as work would.
const SPIN: Duration = Duration::from_millis(2);

/// What `TAILGATE_FAULTS` asks for. A zero is a fault that is off.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct Plan {
    /// The variable's text.
    pub spec: String,
    /// None: all of `ROUTES`.
    route: Option<&'static str>,
    latency_us: u64,
    slow_one_in: u64,
    slow_us: u64,
    stall_every_ms: u64,
    stall_us: u64,
    keep_bytes: u64,
    keep_bytes_per_request: u64,
    cpu_us: u64,
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

impl Plan {
    pub fn parse(spec: &str) -> Result<Self, String> {
        let fail = |what: String| Err(format!("TAILGATE_FAULTS: {what}"));
        let mut plan = Self {
            spec: spec.to_owned(),
            ..Self::default()
        };
        let mut seen = Vec::new();
        for item in spec.split(',') {
            let (key, value) = item.split_once('=').unwrap_or((item, ""));
            if seen.contains(&key) {
                return fail(format!("{key} is given twice"));
            }
            seen.push(key);
            if key == "route" {
                plan.route = ROUTES.into_iter().find(|route| *route == value);
                if plan.route.is_none() {
                    let routes = ROUTES.join(", ");
                    return fail(format!("route must be one of {routes}, got \"{value}\""));
                }
                continue;
            }
            let Some((_, least, field)) = AMOUNTS.into_iter().find(|(name, ..)| *name == key)
            else {
                let names = AMOUNTS.map(|(name, ..)| name).join(", ");
                return fail(format!("unknown key \"{key}\"; valid keys: route, {names}"));
            };
            match parse_amount(value, least) {
                Some(amount) => *field(&mut plan) = amount,
                None => {
                    return fail(format!(
                        "{key} must be a whole number from {least} to {MAX_AMOUNT}, got \"{value}\""
                    ));
                }
            }
        }
        for (one, other) in PAIRS {
            if seen.contains(&one) != seen.contains(&other) {
                return fail(format!("{one} and {other} must be given together"));
            }
        }
        if plan.stall_every_ms > 0 && plan.stall_us >= plan.stall_every_ms * 1_000 {
            return fail("stall_us must be shorter than stall_every_ms".to_owned());
        }
        Ok(plan)
    }

    fn covers(&self, path: &str) -> bool {
        self.route.is_none_or(|route| route == path)
    }

    /// How many orders of a summary get a query each.
    pub fn n_plus_one(&self) -> usize {
        if self.covers(summary::PATH) {
            usize::try_from(self.n_plus_one).unwrap_or(usize::MAX)
        } else {
            0
        }
    }

    /// Extra latency of the `nth` request.
    fn latency(&self, nth: u64) -> Duration {
        let slow = if every(self.slow_one_in, nth) {
            self.slow_us
        } else {
            0
        };
        Duration::from_micros(self.latency_us + slow)
    }

    /// How much of a stall is left at `since_start`. The first begins after one whole period.
    fn stall_left(&self, since_start: Duration) -> Duration {
        let period = Duration::from_millis(self.stall_every_ms);
        if period.is_zero() || since_start < period {
            return Duration::ZERO;
        }
        let into_period = since_start.as_nanos() % period.as_nanos();
        let stall = Duration::from_micros(self.stall_us);
        let left = stall.as_nanos().saturating_sub(into_period);
        u64::try_from(left).map_or(Duration::MAX, Duration::from_nanos)
    }

    fn fails(&self, nth: u64) -> bool {
        every(self.error_one_in, nth)
    }

    fn crashes(&self, nth: u64) -> bool {
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

/// A plan at work: its counter, its clock and the memory it keeps.
#[derive(Debug)]
pub struct Faults {
    plan: Plan,
    started: Instant,
    requests: AtomicU64,
    kept: Mutex<Vec<Vec<u8>>>,
}

impl Faults {
    pub fn new(plan: Plan) -> Self {
        let faults = Self {
            plan,
            started: Instant::now(),
            requests: AtomicU64::new(0),
            kept: Mutex::default(),
        };
        faults.keep(faults.plan.keep_bytes);
        faults
    }

    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    fn keep(&self, bytes: u64) {
        if bytes == 0 {
            return;
        }
        // Ones, because zeros would come as untouched pages.
        let memory = vec![1; usize::try_from(bytes).unwrap_or(usize::MAX)];
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.push(memory);
    }
}

/// `router`, with a fault layer if `faults` are on and cover `path`.
pub fn layer(
    path: &str,
    router: Router<AppState>,
    faults: Option<&Arc<Faults>>,
) -> Router<AppState> {
    match faults {
        Some(faults) if faults.plan.covers(path) => {
            router.route_layer(from_fn_with_state(faults.clone(), inject))
        }
        _ => router,
    }
}

async fn inject(State(faults): State<Arc<Faults>>, request: Request, next: Next) -> Response {
    let plan = &faults.plan;
    let nth = faults.requests.fetch_add(1, Ordering::Relaxed) + 1;
    if plan.crashes(nth) {
        std::process::exit(CRASH_EXIT_CODE);
    }
    faults.keep(plan.keep_bytes_per_request);
    spin_until(Instant::now() + Duration::from_micros(plan.cpu_us));
    wait(plan.latency(nth)).await;
    let response = if plan.fails(nth) {
        ApiError::Fault.into_response()
    } else {
        next.run(request).await
    };
    // After the work, so that nothing at all is answered during a stall.
    wait(plan.stall_left(faults.started.elapsed())).await;
    response
}

async fn wait(length: Duration) {
    let end = Instant::now() + length;
    if length > SPIN {
        tokio::time::sleep(length.saturating_sub(SPIN)).await;
    }
    spin_until(end);
}

fn spin_until(end: Instant) {
    while Instant::now() < end {
        std::hint::spin_loop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(spec: &str) -> Plan {
        Plan::parse(spec).unwrap()
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

    #[test]
    fn kept_memory_is_kept() {
        let faults = Faults::new(plan("keep_bytes=1000,keep_bytes_per_request=10"));
        faults.keep(faults.plan.keep_bytes_per_request);
        faults.keep(faults.plan.keep_bytes_per_request);
        let kept = faults.kept.lock().unwrap();
        assert_eq!(kept.iter().map(Vec::len).sum::<usize>(), 1_020);
        assert!(kept.iter().flatten().all(|&byte| byte == 1));
    }
}
