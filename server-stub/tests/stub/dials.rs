//! Faults of dials: refusals, HTTP, silence, certificates, and pairing.

use crate::support::{Run, all_hold, with_fault};
use postrider_agent::{SpkiPin, Trust};
use server_stub::scenario::Scenario;
use virtual_phone::VirtualPhone;

/// Ends the first connection, so that there is a second dial to break.
fn second_dial(fault: &str) -> String {
    let cut = "do = \"close\"\nframe = \"send\"\ncode = 1001\n[[fault]]\nconnection = 2\n";
    with_fault(2, &format!("{cut}{fault}"))
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_dials_again_whatever_its_dial_was_answered() {
    let faults = [
        "do = \"refuse\"",
        "do = \"garbage\"",
        "do = \"http\"\nstatus = 401",
        "do = \"http\"\nstatus = 503",
        "do = \"http\"\nstatus = 302",
        "do = \"http\"\nstatus = 200",
    ];
    for verdict in all_hold(&faults.map(second_dial)).await {
        assert_eq!(verdict.faults[1].hits, 1, "{verdict}");
        assert!(verdict.dials > 2, "{verdict}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dial_that_is_never_answered_is_given_up_for_a_new_network() {
    let run = Run::start(&second_dial("do = \"hang\"")).await;
    let phone = run.phone().await;
    run.until(r#"{"dials": 2}"#).await;
    phone.network_changed().await;
    let verdict = run.finish().await;
    phone.stop().await.unwrap();
    assert!(verdict.held, "{verdict}");
    assert_eq!(verdict.dials, 3);
}

async fn with_tls(trusts: &str, certificate: &str) {
    let fault = second_dial(&format!("do = \"tls\"\ncertificate = \"{certificate}\""));
    let scenario = format!("[tls]\ntrusts = \"{trusts}\"\n{fault}");
    let run = Run::start(&scenario).await;
    let trust = match trusts {
        "root" => Trust {
            extra_roots: vec![run.stub.root().unwrap().0],
            pins: Vec::new(),
            ..Trust::default()
        },
        _ => Trust {
            extra_roots: Vec::new(),
            pins: vec![run.stub.pin().unwrap().parse::<SpkiPin>().unwrap()],
            ..Trust::default()
        },
    };
    let run = run.trusting(&trust);
    let phone = run.phone().await;
    let verdict = run.finish().await;
    phone.stop().await.unwrap();
    assert!(verdict.held, "{certificate}: {verdict}");
    assert!(verdict.dials > 2, "{certificate}: {verdict}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_speaks_to_no_hub_whose_certificate_it_cannot_trust() {
    tokio::join!(
        with_tls("root", "expired"),
        with_tls("root", "wrong_host"),
        with_tls("root", "unknown_root"),
        with_tls("pins", "other_key"),
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_phone_that_accepts_a_bad_certificate_breaks_a_rule() {
    let scenario = "[tls]\ntrusts = \"root\"\ncertificate = \"expired\"\n[end]\nwhen = \"told\"\n";
    let run = Run::start(scenario).await;
    let pins = vec![run.stub.pin().unwrap().parse().unwrap()];
    let trust = Trust {
        extra_roots: Vec::new(),
        pins,
        ..Trust::default()
    };
    let run = run.trusting(&trust);
    let phone = run.phone().await;
    run.until(r#"{"connected": 1}"#).await;
    run.stub.stop();
    let verdict = run.finish().await;
    phone.stop().await.unwrap();
    assert_eq!(verdict.broken(), ["trust"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_phone_is_told_why_it_cannot_join() {
    for (answer, says) in [
        ("refuse", "pairing_refused"),
        ("expire", "pairing_expired"),
        ("wrong_digits", "other digits"),
    ] {
        let scenario = format!("[pairing]\nanswer = \"{answer}\"\ncode = \"WXYZ-1234-5678\"\n");
        let run = Run::of(Scenario::parse(&scenario).unwrap()).await;
        let Err(refused) = VirtualPhone::start(run.phone_config()).await else {
            panic!("{answer}: it joined");
        };
        assert!(refused.to_string().contains(says), "{refused}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_phone_that_paired_over_https_takes_no_link_without_tls() {
    let scenario = "[pairing]\nanswer = \"plain_link\"\n[tls]\ntrusts = \"root\"\n";
    let run = Run::start(scenario).await;
    let trust = Trust {
        extra_roots: vec![run.stub.root().unwrap().0],
        pins: Vec::new(),
        ..Trust::default()
    };
    let run = run.trusting(&trust);
    let Err(refused) = VirtualPhone::start(run.phone_config()).await else {
        panic!("it joined");
    };
    assert!(refused.to_string().contains("link"), "{refused}");
    assert!(!run.phone_config().folder.join("pairing.json").exists());
}
