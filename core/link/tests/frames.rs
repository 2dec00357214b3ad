//! Every frame's JSON, and that it reads back.

#![expect(
    clippy::unwrap_used,
    reason = "a test stops where its ground gives way"
)]

#[path = "common/every.rs"]
mod every;
#[path = "common/parts.rs"]
mod parts;

use every::{hub_frames, phone_frames};
use postrider_link::{
    codec::{decode_hub, decode_phone, encode},
    frame::{Address, Bytes, HubFrame, InstallId, PhoneFrame},
};

#[test]
fn the_hubs_frames_look_like_this() {
    let lines: Vec<String> = hub_frames().iter().map(|f| encode(f).unwrap()).collect();
    insta::assert_snapshot!(lines.join("\n"), @r##"
    {"t":"challenge","nonce":"AAAAAAAAAAAAAAAAAAAAAA","gen":3}
    {"t":"challenge","nonce":"AAAAAAAAAAAAAAAAAAAAAA","gen":4,"down_sent":12,"up":9}
    {"t":"welcome","v":1,"gen":3,"up":9,"now":1700000000000,"heartbeat_s":45,"limit":265}
    {"t":"send","s":13,"id":"SM0000000000000007","ep":2,"proof":"BwcHBwcHBwcHBwcHBwcHBw","kind":"sms","to":"+15005550002","text":"come at \"noon\"\n","sim":0,"parts_max":25,"ttl_ms":259200000,"report":true,"priority":1,"movable":true}
    {"t":"send","s":14,"id":"SM0000000000000007","ep":2,"proof":"BwcHBwcHBwcHBwcHBwcHBw","kind":"data_sms","to":"+15005550002","data":{"port":16001,"base64":"AP8H"},"sim":0,"ttl_ms":259200000,"report":true,"priority":1}
    {"t":"send","s":15,"id":"SM0000000000000007","ep":2,"proof":"BwcHBwcHBwcHBwcHBwcHBw","kind":"mms","to":"+15005550002","text":"come at \"noon\"\n","sim":0,"parts_max":25,"ttl_ms":259200000,"report":true,"priority":1,"movable":true,"media":[{"url":"https://hub.example/media/1?sig=x","type":"image/png","size":1024}]}
    {"t":"revoke","s":16,"id":"SM0000000000000007","ep":2}
    {"t":"cancel","s":17,"id":"SM0000000000000007","ep":2}
    {"t":"void","s":18}
    {"t":"config","s":19,"sim":0,"pause":false,"send_delay_ms":1000,"quiet":[[1700000000000,1700003600000]],"send_limit_max":600,"device_send_limit_max":900,"silent_after_ms":60000,"unknown_after_ms":300000,"report_window_ms":86400000,"shift_tables":[1,3]}
    {"t":"ack","a":5,"limit":261,"mono":77}
    {"t":"ping","n":1,"mono":78,"next_s":45}
    {"t":"pong","n":1,"mono":79}
    {"t":"bye","code":1001,"retry_ms":12345}
    "##);
}

#[test]
fn the_phones_frames_look_like_this() {
    let lines: Vec<String> = phone_frames().iter().map(|f| encode(f).unwrap()).collect();
    insta::assert_snapshot!(lines.join("\n"), @r##"
    {"t":"hello","v":[1,1],"features":["mms"],"phone":"DV0000000000000001","install":"install-000000000001","conn":8,"sig":"AQID","gen":3,"down":12,"up_lo":10,"up_hi":11,"limit":1036,"boot":"boot-1","wall":1700000000000,"mono":80,"sims":[{"slot":1,"number":"+15005550001","carrier":"Example Mobile","mccmnc":"00101","fingerprint":"c0ffee","send_limit":1500,"queue":3,"next_slot_in_ms":2400,"waiting_for":"pace"}],"held":[["SM0000000000000007",1,"on_phone"],["SM0000000000000008",1,"unknown"]]}
    {"t":"event","s":10,"id":"SM0000000000000007","ep":2,"state":"failed","part":2,"of":3,"code":"no_service","detail":"RP cause 38","partial":true,"unsent":true,"wall":1700000000000,"mono":81,"boot":"boot-0"}
    {"t":"event","s":11,"id":"SM0000000000000007","ep":2,"state":"sent","wall":1700000000000,"mono":81}
    {"t":"event","s":11,"id":"SM0000000000000007","ep":2,"state":"sent","duration_s":-1,"ring_s":12,"wall":1700000000000,"mono":81}
    {"t":"held","rows":[["SM0000000000000007",1,"delivered"],["SM0000000000000008",1,"sent","BwcHBwcHBwcHBwcHBwcHBw"]],"last":true}
    {"t":"inbound","s":12,"n":4,"kind":"sms","sim":0,"from":"+15005550003","to":"+15005550001","text":"STOP","parts":1,"sent_at":1699999999000,"duration_s":-1,"ring_s":6,"wall":1700000000000,"mono":82}
    {"t":"health","s":13,"battery":81,"charging":true,"network":"wifi","signal":3,"sims":[{"slot":1,"number":"+15005550001","carrier":"Example Mobile","mccmnc":"00101","fingerprint":"c0ffee","send_limit":1500,"queue":3,"next_slot_in_ms":2400,"waiting_for":"pace","kinds":[{"kind":"ussd","queue":2,"waiting_for":"ussd_answer"}]}],"queue":3,"next_slot_in_ms":2400,"waiting_for":"pace","forwarding":true,"app_version":"1.0.0","android_sdk":35,"manufacturer":"Example","model":"One"}
    {"t":"ack","a":13,"limit":1037,"mono":83}
    {"t":"ping","n":2,"mono":84,"next_s":90}
    {"t":"pong","n":2,"mono":85}
    {"t":"bye","code":1001,"retry_ms":0}
    "##);
}

#[test]
fn every_frame_reads_back_as_it_was_written() {
    for frame in hub_frames() {
        let text = encode(&frame).unwrap();
        assert_eq!(decode_hub(text.as_bytes()), Ok(frame));
    }
    for frame in phone_frames() {
        let text = encode(&frame).unwrap();
        assert_eq!(decode_phone(text.as_bytes()), Ok(frame));
    }
}

#[test]
fn no_frame_prints_a_number_a_text_or_a_signed_address() {
    let printed = format!("{:?} {:?}", hub_frames(), phone_frames());
    for secret in ["+1500", "noon", "STOP", "sig=x"] {
        assert!(!printed.contains(secret), "{secret} was printed");
    }
}

#[test]
fn an_address_says_what_it_holds_and_prints_only_its_length() {
    let number = Address::new("+15005550001");
    assert_eq!(number.as_str(), "+15005550001");
    assert_eq!(number.number().unwrap().as_str(), "+15005550001");
    assert_eq!(Address::from(&number.number().unwrap()), number);
    assert_eq!(Address::new("*100#").number(), None);
    assert_eq!(format!("{number:?}"), "<address, 12 characters>");
    assert_eq!(format!("{:?}", Bytes(vec![1, 2, 3])), "<3 bytes>");
}

#[test]
fn a_token_has_16_to_128_letters_digits_dashes_or_lines() {
    let fits = |text: &str| text.parse::<InstallId>().is_ok();
    assert!(fits("AZaz09-_AZaz09-_"));
    assert!(fits(&"a".repeat(128)));
    for text in ["a".repeat(15), "a".repeat(129), "a".repeat(15) + "|"] {
        assert!(!fits(&text), "{text}");
    }
    let error = "".parse::<InstallId>().unwrap_err();
    let text = "is not 16 to 128 letters, digits, `-` or `_`";
    assert_eq!(error.to_string(), text);
}

#[test]
fn each_frame_knows_its_place() {
    let places = |places: Vec<Option<u64>>| places.into_iter().flatten().collect::<Vec<_>>();
    let hub = places(hub_frames().iter().map(HubFrame::s).collect());
    assert_eq!(hub, Vec::from_iter(13..=19));
    let phone = places(phone_frames().iter().map(PhoneFrame::s).collect());
    assert_eq!(phone, [10, 11, 11, 12, 13]);
}

#[test]
fn a_row_reads_with_and_without_a_proof_and_with_what_a_later_version_adds() {
    let read = |row: &str| {
        let text = format!(r#"{{"t":"held","rows":[{row}],"last":true}}"#);
        match decode_phone(text.as_bytes()) {
            Ok(PhoneFrame::Held(held)) => Some(held.rows[0].proof.is_some()),
            _ => None,
        }
    };
    let bare = r#""SM0000000000000007",1,"sent""#;
    let proof = r#""BwcHBwcHBwcHBwcHBwcHBw""#;
    assert_eq!(read(&format!("[{bare}]")), Some(false));
    assert_eq!(read(&format!("[{bare},null]")), Some(false));
    assert_eq!(read(&format!("[{bare},{proof}]")), Some(true));
    assert_eq!(read(&format!("[{bare},{proof},7]")), Some(true));
    assert_eq!(read(r#"["SM0000000000000007",1]"#), None);
    assert_eq!(read(&format!(r#"[{bare},"no proof"]"#)), None);
}
