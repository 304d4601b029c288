//! The handlers, one file per group.

pub mod documents;
pub mod echo;
pub mod experiments;
pub mod fanout;
pub mod health;
pub mod hello;
pub mod process;
pub mod summary;
pub mod users;
