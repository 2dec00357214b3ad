//! The bytes that hello signs.

use crate::frame::{Hello, InstallId, Nonce};
use postrider_model::DeviceId;

/// Begins the signed bytes, so that they have no other meaning.
pub const HELLO_PURPOSE: &str = "postrider-hello-v1";

/// Returns the bytes that a phone signs for one connection.
///
/// `host` is the name that the phone dialled, in lower case and without a port. The hub tries
/// the names in its configured list, so that a hello for another host is useless
/// here. The fields stand in this order, separated by `|`; none of them can contain one.
pub fn hello_bytes(
    host: &str,
    nonce: &Nonce,
    phone: DeviceId,
    install: &InstallId,
    conn: u64,
) -> Vec<u8> {
    let (nonce, install) = (nonce.as_str(), install.as_str());
    format!("{HELLO_PURPOSE}|{host}|{nonce}|{phone}|{install}|{conn}").into_bytes()
}

/// Returns the bytes that `hello` must have signed for `host` and `nonce`.
pub fn expected_bytes(host: &str, nonce: &Nonce, hello: &Hello) -> Vec<u8> {
    hello_bytes(host, nonce, hello.phone, &hello.install, hello.conn)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::Bytes;
    use postrider_model::Key;

    #[test]
    fn the_signed_bytes_are_fixed() {
        let nonce: Nonce = "AAAAAAAAAAAAAAAAAAAAAA".parse().unwrap();
        let install: InstallId = "install-0000-0001".parse().unwrap();
        let phone = DeviceId::new(Key::new(1).unwrap());
        insta::assert_snapshot!(
            String::from_utf8(hello_bytes("hub.example", &nonce, phone, &install, 7)).unwrap(),
            @"postrider-hello-v1|hub.example|AAAAAAAAAAAAAAAAAAAAAA|DV0000000000000001|install-0000-0001|7"
        );
    }

    #[test]
    fn the_hub_expects_what_the_phone_of_that_hello_signed() {
        let nonce: Nonce = "AAAAAAAAAAAAAAAAAAAAAA".parse().unwrap();
        let hello = Hello {
            v: (1, 1),
            features: vec![],
            phone: DeviceId::new(Key::new(9).unwrap()),
            install: "install-0000-0003".parse().unwrap(),
            conn: 12,
            sig: Bytes::default(),
            generation: 1,
            down: 0,
            up_lo: 1,
            up_hi: 0,
            limit: 0,
            boot: "boot-1".into(),
            wall: 0,
            mono: 0,
            sims: vec![],
            held: vec![],
        };
        let signed = hello_bytes("hub.example", &nonce, hello.phone, &hello.install, 12);
        assert_eq!(expected_bytes("hub.example", &nonce, &hello), signed);
        assert_ne!(expected_bytes("other.example", &nonce, &hello), signed);
    }
}
