#![no_main]

use axum_api::extract::parse;
use axum_api::routes::echo::{EchoRequest, Text};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|body: &[u8]| {
    let owned = parse::<EchoRequest<String>>(body);
    let borrowed = parse::<EchoRequest<Text>>(body);
    assert_eq!(owned.as_ref().err(), borrowed.as_ref().err());
    if let (Ok(owned), Ok(borrowed)) = (owned, borrowed) {
        let written = serde_json::to_vec(&owned).expect("it can be written");
        assert_eq!(
            serde_json::to_vec(&borrowed).expect("it can be written"),
            written
        );
        assert_eq!(parse(&written), Ok(owned));
    }
});
