//! Connections: accepting them, bounding them, and ending them when the service stops.
//!
//! `axum::serve` would do but for one thing: it cannot bound the time a client takes to send its headers.

use std::net::SocketAddr;
use std::pin::pin;
use std::time::Duration;

use axum::Router;
use axum::serve::Listener;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpSocket};
use tokio::signal::unix::{SignalKind, signal};
use tokio::time::timeout;

/// How long a connection may be without a complete request head, idle keep-alive included.
const IDLE_TIMEOUT: Duration = Duration::from_mins(2);

/// More than any kernel grants: it takes its own limit (`net.core.somaxconn`) instead, as Go does.
const BACKLOG: u32 = 65_535;

pub fn listen(addr: SocketAddr) -> std::io::Result<TcpListener> {
    let socket = match addr {
        SocketAddr::V4(_) => TcpSocket::new_v4()?,
        SocketAddr::V6(_) => TcpSocket::new_v6()?,
    };
    socket.set_reuseaddr(true)?;
    socket.bind(addr)?;
    socket.listen(BACKLOG)
}

/// Serves until `stop` is ready, then lets requests in flight end for at most `grace`. False when some did not.
pub async fn serve(
    mut listener: TcpListener,
    app: Router,
    grace: Duration,
    stop: impl Future<Output = ()>,
) -> bool {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(IDLE_TIMEOUT);
    let connections = GracefulShutdown::new();
    let mut stop = pin!(stop);
    loop {
        let (stream, _) = tokio::select! {
            accepted = Listener::accept(&mut listener) => accepted,
            () = &mut stop => break,
        };
        // Fails only on a connection that is already gone; serving it finds that out.
        let _ = stream.set_nodelay(true);
        let service = TowerToHyperService::new(app.clone());
        let connection = connections.watch(http.serve_connection(TokioIo::new(stream), service));
        tokio::spawn(async move {
            // An error here is the client's: it went away, or what it sent was not HTTP.
            let _ = connection.await;
        });
    }
    drop(listener);
    timeout(grace, connections.shutdown()).await.is_ok()
}

/// Ready at the first SIGTERM or SIGINT. The handlers are in place when this returns, not at the first poll.
pub fn stop_signal() -> std::io::Result<impl Future<Output = ()>> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}
