//! Redis: one connection that all requests share, replaced when anything went wrong with it.
//!
//! The client's own connection manager would do but for two things: it keeps an error of the first commands (a
//! server that is still loading refuses them) for ever, and a connection whose peer has gone silent.

use std::sync::Arc;
use std::time::Duration;

use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, Client, Cmd, FromRedisValue, RedisResult};
use tokio::sync::Mutex;
use tokio::time::timeout;

use crate::error::ApiError;

#[derive(Debug, Clone)]
pub struct Cache {
    shared: Arc<Shared>,
    timeout: Duration,
    ttl_s: u64,
}

#[derive(Debug)]
struct Shared {
    client: Client,
    current: Mutex<Current>,
}

#[derive(Debug, Default)]
struct Current {
    /// How many connections there have been, so that a request does not throw away its successor.
    number: u64,
    connection: Option<MultiplexedConnection>,
}

impl Cache {
    pub fn new(client: Client, timeout: Duration, ttl_s: u64) -> Self {
        let current = Mutex::default();
        let shared = Arc::new(Shared { client, current });
        Self {
            shared,
            timeout,
            ttl_s,
        }
    }

    pub async fn get(&self, key: &str) -> Result<Option<Vec<u8>>, ApiError> {
        self.ask(&Cmd::get(key)).await
    }

    /// Stores `value` for the configured time.
    pub async fn set(&self, key: &str, value: &[u8]) -> Result<(), ApiError> {
        self.ask(&Cmd::set_ex(key, value, self.ttl_s)).await
    }

    pub async fn check(&self) -> Result<(), ApiError> {
        self.ask(&redis::cmd("PING")).await
    }

    async fn ask<T: FromRedisValue>(&self, command: &Cmd) -> Result<T, ApiError> {
        let mut used = 0;
        let answer = timeout(self.timeout, async {
            let (number, mut connection) = self.connection().await?;
            used = number;
            command.query_async(&mut connection).await
        })
        .await;
        if let Ok(Ok(value)) = answer {
            return Ok(value);
        }
        self.forget(used);
        Err(match answer {
            Ok(_) => ApiError::CacheUnavailable,
            Err(_) => ApiError::CacheTimeout,
        })
    }

    async fn connection(&self) -> RedisResult<(u64, MultiplexedConnection)> {
        let mut current = self.shared.current.lock().await;
        if let Some(connection) = &current.connection {
            return Ok((current.number, connection.clone()));
        }
        // Time-outs are ours alone: those of the client would look like a broken connection.
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(None)
            .set_response_timeout(None);
        let client = &self.shared.client;
        let connection = client
            .get_multiplexed_async_connection_with_config(&config)
            .await?;
        current.number += 1;
        current.connection = Some(connection.clone());
        Ok((current.number, connection))
    }

    /// Without waiting: who holds the lock is connecting anew.
    fn forget(&self, number: u64) {
        if let Ok(mut current) = self.shared.current.try_lock()
            && current.number == number
        {
            current.connection = None;
        }
    }
}
