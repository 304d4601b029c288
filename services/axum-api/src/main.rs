//! Configuration, listener, signals and exit codes: 0 stopped when asked, 1 could not start, 2 bad environment.

use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context;
use axum_api::app;
use axum_api::config::{Config, explain};
use axum_api::serve::{listen, serve, stop_signal};
use axum_api::state::AppState;

const BAD_ENVIRONMENT: u8 = 2;

fn main() -> ExitCode {
    let config = match Config::load() {
        Ok(config) => config,
        Err(error) => {
            let Some(line) = explain(&error) else {
                error.exit()
            };
            eprintln!("axum-api: {line}");
            return ExitCode::from(BAD_ENVIRONMENT);
        }
    };
    match start(config) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("axum-api: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn start(config: Config) -> anyhow::Result<()> {
    // Go raises its soft limit at start; 10,000 connections need it here too. Kept as it is where forbidden.
    let _ = rlimit::increase_nofile_limit(u64::MAX);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(config.tokio_worker_threads)
        .max_blocking_threads(config.blocking_threads)
        .enable_all()
        .build()?;
    let result = runtime.block_on(run(config));
    // Dropping a runtime waits for its blocking pool without bound.
    runtime.shutdown_background();
    result
}

async fn run(config: Config) -> anyhow::Result<()> {
    let mut stop = std::pin::pin!(stop_signal().context("cannot handle signals")?);
    if let Some(plan) = &config.tailgate_faults {
        eprintln!("FAULTS ACTIVE: {}", plan.spec);
        let delay = Duration::from_millis(plan.start_delay_ms);
        tokio::select! {
            () = tokio::time::sleep(delay) => {}
            () = &mut stop => return Ok(()),
        }
    }
    let addr = config.addr;
    let grace = Duration::from_millis(config.shutdown_grace_ms);
    let app = app(AppState::new(config)?);
    let listener = listen(addr).with_context(|| format!("cannot listen on {addr}"))?;
    // A closed stdout is no reason not to serve.
    let _ = writeln!(
        std::io::stdout(),
        "listening on http://{}",
        listener.local_addr()?
    );

    if !serve(listener, app, grace, stop).await {
        eprintln!("axum-api: requests were still open after SHUTDOWN_GRACE_MS and were cut off");
    }
    Ok(())
}
