//! `PostgreSQL`: a pool that is never waited for longer than the time-out, and the service's queries.

use std::time::Duration;

use chrono::{DateTime, SecondsFormat, Utc};
use futures_util::future::join_all;
use serde::{Serialize, Serializer};
use sqlx::pool::PoolConnection;
use sqlx::postgres::{PgArguments, PgConnectOptions, PgPool, PgPoolOptions, PgRow, PgSslMode};
use sqlx::query::QueryAs;
use sqlx::{ConnectOptions, Connection, FromRow, Postgres, query_as};
use tokio::time::{Instant, timeout_at};

use crate::error::ApiError;

/// A connection idle for longer is tried before it is used, so that a server's restart is not seen by requests
/// that come later. Trying each time would cost a round trip per request.
const TRUSTED_IDLE: Duration = Duration::from_secs(1);

#[derive(Debug, Clone)]
pub struct Database {
    pool: PgPool,
    timeout: Duration,
}

/// A row of users, and the answer of `/users/{id}`.
#[derive(Debug, FromRow, Serialize)]
pub struct User {
    pub id: i64,
    pub name: String,
    pub email: String,
    #[serde(serialize_with = "in_seconds")]
    pub created_at: DateTime<Utc>,
}

fn in_seconds<S: Serializer>(time: &DateTime<Utc>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&time.to_rfc3339_opts(SecondsFormat::Secs, true))
}

#[derive(Debug, FromRow)]
pub struct Order {
    pub id: i64,
    pub placed_at: DateTime<Utc>,
}

#[derive(Debug, FromRow)]
pub struct Item {
    pub order_id: i64,
    pub quantity: i32,
    pub unit_price_cents: i32,
}

impl Database {
    pub fn new(options: PgConnectOptions, connections: u32, timeout: Duration) -> Self {
        let pool = PgPoolOptions::new()
            .max_connections(connections)
            .acquire_timeout(timeout)
            // No connection is replaced for its age: that would be a slow request now and then.
            .idle_timeout(None)
            .max_lifetime(None)
            .test_before_acquire(false)
            .before_acquire(|connection, meta| {
                Box::pin(async move {
                    if meta.idle_for > TRUSTED_IDLE {
                        connection.ping().await?;
                    }
                    Ok(true)
                })
            })
            .connect_lazy_with(
                options
                    .ssl_mode(PgSslMode::Disable)
                    .disable_statement_logging(),
            );
        let filled = pool.clone();
        // `min_connections` of the pool would do this too, but holds places for minutes while the server is silent.
        tokio::spawn(async move { join_all((0..connections).map(|_| filled.acquire())).await });
        Self { pool, timeout }
    }

    /// A connection, and the time until which it may be used.
    pub async fn lease(&self) -> Result<Lease, ApiError> {
        let deadline = Instant::now() + self.timeout;
        match timeout_at(deadline, self.pool.acquire()).await {
            Ok(Ok(connection)) => Ok(Lease {
                connection: Some(connection),
                deadline,
                in_use: false,
            }),
            Ok(Err(_)) | Err(_) => Err(ApiError::DatabaseUnavailable),
        }
    }

    pub async fn check(&self) -> Result<(), ApiError> {
        self.lease()
            .await?
            .fetch::<(i32,)>(query_as("SELECT 1"))
            .await?;
        Ok(())
    }
}

/// Goes back to the pool when dropped, or is closed if it was in the middle of a query: the pool would wait for
/// the rest of that query, however long it takes.
#[derive(Debug)]
pub struct Lease {
    connection: Option<PoolConnection<Postgres>>,
    deadline: Instant,
    in_use: bool,
}

impl Lease {
    pub async fn user(&mut self, id: i64) -> Result<User, ApiError> {
        let sql = "SELECT id, name, email, created_at FROM users WHERE id = $1";
        let mut users = self.fetch(query_as(sql).bind(id)).await?;
        users.pop().ok_or(ApiError::UserNotFound)
    }

    pub async fn orders(&mut self, user_id: i64) -> Result<Vec<Order>, ApiError> {
        let sql = "SELECT id, placed_at FROM orders WHERE user_id = $1";
        self.fetch(query_as(sql).bind(user_id)).await
    }

    pub async fn items(&mut self, order_ids: &[i64]) -> Result<Vec<Item>, ApiError> {
        let sql = "SELECT order_id, quantity, unit_price_cents FROM items WHERE order_id = ANY($1)";
        self.fetch(query_as(sql).bind(order_ids)).await
    }

    async fn fetch<T>(
        &mut self,
        query: QueryAs<'_, Postgres, T, PgArguments>,
    ) -> Result<Vec<T>, ApiError>
    where
        T: for<'row> FromRow<'row, PgRow> + Send + Unpin,
    {
        let connection = self.connection.as_deref_mut().ok_or(ApiError::Internal)?;
        self.in_use = true;
        let rows = timeout_at(self.deadline, query.fetch_all(connection))
            .await
            .map_err(|_| ApiError::DatabaseTimeout)?
            .map_err(|error| refusal(&error))?;
        self.in_use = false;
        Ok(rows)
    }
}

fn refusal(error: &sqlx::Error) -> ApiError {
    match error {
        sqlx::Error::ColumnDecode { .. } | sqlx::Error::Decode(_) => ApiError::Internal,
        _ => ApiError::DatabaseUnavailable,
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        if self.in_use
            && let Some(connection) = self.connection.take()
        {
            drop(connection.detach());
        }
    }
}
