//! Any bytes are refused or read back as what they were read as.
#![no_main]

use libfuzzer_sys::fuzz_target;
use postrider_link::codec::{decode_hub, decode_phone, encode};

fuzz_target!(|bytes: &[u8]| {
    if let Ok(frame) = decode_hub(bytes)
        && let Ok(text) = encode(&frame)
    {
        assert_eq!(decode_hub(text.as_bytes()), Ok(frame));
    }
    if let Ok(frame) = decode_phone(bytes)
        && let Ok(text) = encode(&frame)
    {
        assert_eq!(decode_phone(text.as_bytes()), Ok(frame));
    }
});
