//! The middleware that carries a plan out.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::Plan;
use crate::error::ApiError;

const CRASH_EXIT_CODE: i32 = 70;

/// Timers of both runtimes are about 1 ms coarse, which would drown an injected 300 µs. So waits up to this
/// long are spun, and longer ones sleep until this long before their end and spin the rest. A spin holds its
/// thread: with more concurrent requests than cores, waits add up as work would.
const SPIN: Duration = Duration::from_millis(2);

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

pub async fn inject(State(faults): State<Arc<Faults>>, request: Request, next: Next) -> Response {
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

    #[test]
    fn kept_memory_is_kept() {
        let faults = Faults::new("keep_bytes=1000,keep_bytes_per_request=10".parse().unwrap());
        faults.keep(faults.plan.keep_bytes_per_request);
        faults.keep(faults.plan.keep_bytes_per_request);
        let kept = faults.kept.lock().unwrap();
        assert_eq!(kept.iter().map(Vec::len).sum::<usize>(), 1_020);
        assert!(kept.iter().flatten().all(|&byte| byte == 1));
    }
}
