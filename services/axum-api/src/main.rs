//! Configuration, listener, signals and exit codes: 0 stopped when asked, 1 could not start, 2 bad environment.

use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use axum_api::app;
use axum_api::config::Config;
use axum_api::fault::Faults;
use axum_api::serve::{listen, serve, stop_signal};
use axum_api::state::AppState;

const BAD_ENVIRONMENT: u8 = 2;

fn main() -> ExitCode {
    let variable = |name: &str| Some(std::env::var_os(name)?.to_string_lossy().into_owned());
    let config = match Config::read(variable) {
        Ok(config) => config,
        Err(message) => {
            eprintln!("axum-api: {message}");
            return ExitCode::from(BAD_ENVIRONMENT);
        }
    };
    // Go raises its soft limit at start; 10,000 connections need it here too. Kept as it is where forbidden.
    let _ = rlimit::increase_nofile_limit(u64::MAX);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(config.worker_threads)
        .max_blocking_threads(config.blocking_threads)
        .enable_all()
        .build();
    let result = runtime
        .map_err(|error| error.to_string())
        .and_then(|runtime| {
            let result = runtime.block_on(run(config));
            // Dropping a runtime waits for its blocking pool without bound.
            runtime.shutdown_background();
            result
        });
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("axum-api: {message}");
            ExitCode::FAILURE
        }
    }
}

async fn run(config: Config) -> Result<(), String> {
    let stop = stop_signal().map_err(|error| format!("cannot handle signals: {error}"))?;
    let mut stop = std::pin::pin!(stop);
    let faults = config.faults.clone();
    let faults = faults.map(|plan| Arc::new(Faults::new(plan)));
    if let Some(faults) = &faults {
        eprintln!("FAULTS ACTIVE: {}", faults.plan().spec);
        let delay = Duration::from_millis(faults.plan().start_delay_ms);
        tokio::select! {
            () = tokio::time::sleep(delay) => {}
            () = &mut stop => return Ok(()),
        }
    }
    let state = AppState::new(&config)?;
    let cannot_listen = |error| format!("cannot listen on {}: {error}", config.addr);
    let listener = listen(config.addr).map_err(cannot_listen)?;
    let addr = listener.local_addr().map_err(cannot_listen)?;
    // A closed stdout is no reason not to serve.
    let _ = writeln!(std::io::stdout(), "listening on http://{addr}");

    let app = app(state, faults.as_ref());
    if !serve(listener, app, config.shutdown_grace, stop).await {
        eprintln!("axum-api: requests were still open after SHUTDOWN_GRACE_MS and were cut off");
    }
    Ok(())
}
