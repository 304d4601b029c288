//! One file per group of routes, each with a `router()` that `app` merges.

pub mod echo;
pub mod health;
pub mod process;
