//! The routes' paths, as the contract, the faults and the metrics spell them.

pub const HEALTHZ: &str = "/healthz";
pub const METRICS: &str = "/metrics";
pub const ECHO: &str = "/echo";
pub const PROCESS: &str = "/process";
pub const EXPERIMENTS: &str = "/experiments";
pub const HELLO: &str = "/hello/{path}";
pub const DOCUMENTS: &str = "/documents";
pub const USER: &str = "/users/{id}";
pub const SUMMARY: &str = "/users/{id}/summary";
pub const FANOUT: &str = "/fanout";

/// Those that faults can make worse: all but the operator's own.
pub const FAULTY: [&str; 8] = [
    ECHO,
    PROCESS,
    EXPERIMENTS,
    HELLO,
    DOCUMENTS,
    USER,
    SUMMARY,
    FANOUT,
];

/// How axum spells `HELLO`, whose parameter may hold slashes.
const HELLO_IN_AXUM: &str = "/hello/{*path}";

pub fn to_axum(path: &'static str) -> &'static str {
    if path == HELLO { HELLO_IN_AXUM } else { path }
}

pub fn from_axum(matched: &str) -> &str {
    if matched == HELLO_IN_AXUM {
        HELLO
    } else {
        matched
    }
}
