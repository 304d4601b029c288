#![no_main]

use axum_api::extract::parse;
use axum_api::routes::documents::Document;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|body: &[u8]| {
    if let Ok(parsed) = parse::<Document>(body) {
        let written = serde_json::to_vec(&parsed).expect("it can be written");
        assert_eq!(parse(&written), Ok(parsed));
    }
});
