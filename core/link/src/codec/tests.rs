//! What the codec refuses, and what it accepts.

use super::*;
use crate::frame::{Ack, Send, Void};
use postrider_model::MessageText;

fn hub(text: &str) -> Result<HubFrame, DecodeError> {
    decode_hub(text.as_bytes())
}

fn phone(text: &str) -> Result<PhoneFrame, DecodeError> {
    decode_phone(text.as_bytes())
}

const VOID: &str = r#"{"t":"void","s":1}"#;

fn void() -> Result<HubFrame, DecodeError> {
    Ok(HubFrame::Void(Void { s: 1 }))
}

/// A frame whose unknown field holds `value`.
fn with(value: &str) -> Result<HubFrame, DecodeError> {
    hub(&format!(r#"{{"t":"void","s":1,"x":{value}}}"#))
}

#[test]
fn a_duplicate_key_is_refused_at_any_level() {
    for text in [
        r#"{"t":"void","s":1,"s":1}"#,
        r#"{"t":"void","t":"void","s":1}"#,
        r#"{"t":"void","s":1,"x":{"y":1,"z":2,"y":3}}"#,
        r#"{"t":"void","s":1,"x":[{"y":[{"z":1,"z":1}]}]}"#,
        r#"{"t":"void","s":1,"x":1,"\u0078":1}"#,
    ] {
        assert_eq!(hub(text), Err(DecodeError::DuplicateKey), "{text}");
    }
    assert_eq!(with(r#"[{"y":1},{"y":1,"x":{"x":1}}]"#), void());
}

#[test]
fn many_keys_are_checked_in_little_time() {
    let keys: Vec<String> = (0..6_000).map(|n| format!(r#""{n}":0"#)).collect();
    assert_eq!(with(&format!("{{{}}}", keys.join(","))), void());
    let twice = format!(r#"{{{},"17":0}}"#, keys.join(","));
    assert_eq!(with(&twice), Err(DecodeError::DuplicateKey));
}

#[test]
fn nesting_over_8_is_refused() {
    let nested = |n: usize| format!("{}1{}", "[".repeat(n), "]".repeat(n));
    assert_eq!(with(&nested(7)), void());
    assert_eq!(with(&nested(8)), Err(DecodeError::TooDeep));
    assert_eq!(with(&nested(5_000)), Err(DecodeError::TooDeep));
    let objects = format!("{}1{}", r#"{"y":"#.repeat(8), "}".repeat(8));
    assert_eq!(with(&objects), Err(DecodeError::TooDeep));
}

#[test]
fn numbers_from_2_to_the_53rd_on_are_refused_wherever_they_stand() {
    for value in [
        "9007199254740992",
        "-9007199254740992",
        "18446744073709551615",
        "123456789012345678901234567890",
        "1e300",
        "[-9007199254740993.0]",
    ] {
        assert_eq!(with(value), Err(DecodeError::NumberTooLarge), "{value}");
    }
    assert_eq!(with("9007199254740991"), void());
    assert_eq!(with("-9007199254740991"), void());
    assert_eq!(with("0.5"), void());
}

#[test]
fn where_an_integer_is_due_nothing_else_will_do() {
    for value in ["1.5", "1.0", "1e2", "-1", "\"1\"", "null", "true", "[1]"] {
        let text = format!(r#"{{"t":"ack","a":{value},"limit":1,"mono":1}}"#);
        assert_eq!(hub(&text), Err(DecodeError::Field), "{value}");
    }
}

#[test]
fn what_is_not_one_json_object_is_refused() {
    for text in [
        "",
        " ",
        "{",
        "null",
        "[]",
        "1",
        r#""t""#,
        r#"{"t":"void","s":1}{}"#,
        r#"{"t":"void","s":1} x"#,
        r#"{"t":"void","s":1,}"#,
        r#"{"t":"void","s":01}"#,
        r#"{"t":"void","s":1,"x":"\ud800"}"#,
        r#"{"t":"void","s":1,"x":NaN}"#,
        r#"{'t':'void'}"#,
    ] {
        assert_eq!(hub(text), Err(DecodeError::NotJson), "{text}");
    }
}

#[test]
fn what_is_not_utf8_is_refused() {
    assert_eq!(
        decode_hub(b"{\"t\":\"void\",\"s\":1,\"x\":\"\xff\"}"),
        Err(DecodeError::NotUtf8)
    );
    assert_eq!(
        decode_hub(b"{\"t\":\"\xed\xa0\x80\"}"),
        Err(DecodeError::NotUtf8)
    );
}

#[test]
fn a_frame_over_64_kib_is_refused_both_ways() {
    let fill = |n: usize| {
        let rest = r#"{"t":"void","s":1,"x":""}"#.len();
        with(&format!("\"{}\"", "a".repeat(n - rest)))
    };
    assert_eq!(fill(FRAME_BYTES_MAX), void());
    assert_eq!(fill(FRAME_BYTES_MAX + 1), Err(DecodeError::TooLong));
    let held = PhoneFrame::Unknown(Unknown {
        t: "x".into(),
        s: None,
    });
    assert_eq!(encode(&held), Err(EncodeError::Unknown));
}

#[test]
fn an_envelope_of_the_wrong_types_is_refused() {
    for text in [
        "{}",
        r#"{"s":1}"#,
        r#"{"t":1}"#,
        r#"{"t":null}"#,
        r#"{"t":"void","s":"1"}"#,
        r#"{"t":"later","s":-1}"#,
        r#"{"t":"later","s":1.5}"#,
        r#"{"t":"later","crit":1}"#,
        r#"{"x":{"t":"void","s":1}}"#,
    ] {
        assert_eq!(hub(text), Err(DecodeError::Envelope), "{text}");
    }
}

#[test]
fn unknown_fields_are_ignored() {
    assert_eq!(hub(r#"{"s":1,"later":[{"a":null}],"t":"void"}"#), hub(VOID));
    assert_eq!(hub(r#"{"t":"\u0076oid","s":1}"#), hub(VOID));
}

#[test]
fn an_unknown_frame_is_handed_up_unless_it_must_be_understood() {
    let unknown = |t: &str, s| Unknown { t: t.into(), s };
    assert_eq!(
        hub(r#"{"t":"later","s":5,"x":1}"#),
        Ok(HubFrame::Unknown(unknown("later", Some(5))))
    );
    assert_eq!(
        phone(r#"{"t":"later","crit":false}"#),
        Ok(PhoneFrame::Unknown(unknown("later", None)))
    );
    let refused = hub(r#"{"t":"later","crit":true}"#).unwrap_err();
    assert_eq!(refused.close_code(), CloseCode::NeedsNewerApp);
}

#[test]
fn each_end_knows_only_the_frames_of_the_other() {
    assert!(matches!(phone(VOID), Ok(PhoneFrame::Unknown(_))));
    let held = r#"{"t":"held","rows":[],"last":true}"#;
    assert!(matches!(hub(held), Ok(HubFrame::Unknown(_))));
    let ack = Ack {
        a: 1,
        limit: 2,
        mono: 3,
    };
    assert_eq!(
        phone(r#"{"t":"ack","a":1,"limit":2,"mono":3}"#),
        Ok(PhoneFrame::Ack(ack))
    );
}

#[test]
fn a_field_out_of_its_range_is_refused() {
    for text in [
        r#"{"t":"challenge","nonce":"short","gen":1}"#,
        r#"{"t":"challenge","nonce":"AAAAAAAAAAAAAAAA|AAAAA","gen":1}"#,
        r#"{"t":"revoke","s":1,"id":"SM01","ep":1}"#,
        r#"{"t":"revoke","s":1,"id":"CT0000000000000001","ep":1}"#,
        r#"{"t":"revoke","s":1,"id":"SM0000000000000001","ep":4294967296}"#,
        r#"{"t":"config","s":1,"sim":8,"pause":false,"send_delay_ms":0,"quiet":[]}"#,
        r#"{"t":"config","s":1,"pause":false,"send_delay_ms":0,"quiet":[[1]]}"#,
        r#"{"t":"void"}"#,
    ] {
        assert_eq!(hub(text), Err(DecodeError::Field), "{text}");
    }
    let row = r#"{"t":"held","rows":[["SM0000000000000001",1,"lost"]],"last":true}"#;
    assert_eq!(phone(row), Err(DecodeError::Field));
}

#[test]
fn a_kind_of_a_later_version_is_kept_by_its_name() {
    let text = r#"{"t":"send","s":1,"id":"SM0000000000000001","ep":1,"kind":"rcs","to":"*100#","sim":0,"ttl_ms":1,"report":false,"priority":1}"#;
    let Ok(HubFrame::Send(send)) = hub(text) else {
        panic!("{:?}", hub(text));
    };
    assert_eq!(send.kind.as_str(), "rcs");
    assert_eq!(encode(&HubFrame::Send(send)).as_deref(), Ok(text));
}

#[test]
fn refusals_close_with_4400() {
    assert_eq!(hub("{").unwrap_err().close_code(), CloseCode::ProtocolError);
}

#[test]
fn a_frame_of_64_kib_is_written_and_one_of_a_byte_more_is_not() {
    let text = r#"{"t":"send","s":1,"id":"SM0000000000000001","ep":1,"kind":"sms","to":"*100#","sim":0,"ttl_ms":1,"report":false,"priority":1}"#;
    let frame = |bytes: usize| match hub(text) {
        Ok(HubFrame::Send(send)) => HubFrame::Send(Send {
            text: Some(MessageText::new("a".repeat(bytes))),
            ..send
        }),
        other => panic!("{other:?}"),
    };
    let rest = encode(&frame(0)).unwrap().len();
    let text = encode(&frame(FRAME_BYTES_MAX - rest)).unwrap();
    assert_eq!(text.len(), FRAME_BYTES_MAX);
    let longer = frame(FRAME_BYTES_MAX - rest + 1);
    assert_eq!(encode(&longer), Err(EncodeError::TooLong));
}

#[test]
fn each_refusal_says_what_is_wrong() {
    let refusals = [
        (DecodeError::TooLong, "the frame is longer than 64 KiB"),
        (DecodeError::NotUtf8, "the frame is not UTF-8"),
        (DecodeError::NotJson, "the frame is not one JSON object"),
        (DecodeError::DuplicateKey, "the frame has a key twice"),
        (DecodeError::TooDeep, "the frame is nested too deep"),
        (
            DecodeError::NumberTooLarge,
            "the frame has a number of 2^53 or more",
        ),
        (DecodeError::Envelope, "the frame's envelope is not valid"),
        (DecodeError::Field, "a field of the frame is not valid"),
        (
            DecodeError::MustUnderstand,
            "the frame is unknown and must be understood",
        ),
    ];
    for (refusal, text) in refusals {
        assert_eq!(refusal.to_string(), text);
        let newer = refusal == DecodeError::MustUnderstand;
        assert_eq!(refusal.close_code() == CloseCode::NeedsNewerApp, newer);
    }
    let written = [EncodeError::TooLong, EncodeError::Unknown].map(|error| error.to_string());
    let texts = [
        "the frame would be longer than 64 KiB",
        "an unknown frame is never written",
    ];
    assert_eq!(written, texts);
}

#[test]
fn a_type_with_an_escape_is_read_up_to_64_bytes() {
    let of = |t: &str| hub(&format!(r#"{{"t":"{t}","s":1}}"#));
    let unknown = |t: String| Ok(HubFrame::Unknown(Unknown { t, s: Some(1) }));
    let escaped = format!("\\u0061{}", "b".repeat(63));
    assert_eq!(of(&escaped), unknown(format!("a{}", "b".repeat(63))));
    let longer = format!("{escaped}b");
    assert_eq!(of(&longer), Err(DecodeError::Envelope));
}
