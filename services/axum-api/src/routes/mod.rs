//! One file per group of routes, each with a `router()` that `app` merges.

pub mod documents;
pub mod echo;
pub mod experiments;
pub mod fanout;
pub mod health;
pub mod hello;
pub mod process;
pub mod summary;
pub mod users;

/// The contract's name of the route that the router calls `matched`; None where it has none.
pub fn pattern(matched: &str) -> Option<&str> {
    match matched {
        hello::EMPTY | hello::WILDCARD => Some(hello::PATH),
        summary::WITHOUT_ID => None,
        other => Some(other),
    }
}
