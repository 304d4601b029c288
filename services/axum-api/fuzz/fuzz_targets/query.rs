#![no_main]

use axum_api::error::ApiError;
use axum_api::query::Query;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|raw: &[u8]| {
    if let Ok(query) = Query::parse(raw) {
        let _ = query.at_most_one("input", ApiError::InvalidInput);
    }
});
