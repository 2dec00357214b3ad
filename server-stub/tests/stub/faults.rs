//! Every fault of a frame once, with an agent that must come through it.

use crate::support::{Run, all_hold, play, with_fault};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use virtual_phone::VirtualPhone;

fn one_each(faults: &[&str]) -> Vec<String> {
    faults.iter().map(|fault| with_fault(2, fault)).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_comes_through_frames_that_are_late_doubled_slow_or_swapped() {
    let verdicts = all_hold(&one_each(&[
        "do = \"duplicate\"\nframe = \"send\"",
        "do = \"delay\"\nframe = \"send\"\nms = 50",
        "do = \"drip\"\nframe = \"welcome\"\nbytes = 7\nevery_ms = 1",
        "do = \"stall\"\nframe = \"send\"\nside = \"both\"\nms = 100",
        "do = \"stall\"\nframe = \"send\"\nside = \"write\"\nms = 100",
        "do = \"stall\"\ndirection = \"up\"\nframe = \"event\"\nside = \"read\"\nms = 100",
        "do = \"duplicate\"\ndirection = \"up\"\nframe = \"event\"",
        "do = \"delay\"\ndirection = \"up\"\nframe = \"event\"\nms = 50",
    ]))
    .await;
    for verdict in &verdicts {
        assert_eq!((verdict.dials, verdict.faults[0].hits), (1, 1), "{verdict}");
    }
    // Swapped frames leave a gap: the agent closes, and everything is resumed.
    let verdicts = all_hold(&one_each(&[
        "do = \"reorder\"\nframe = \"send\"",
        "do = \"reorder\"\ndirection = \"up\"\nframe = \"event\"",
    ]))
    .await;
    for verdict in &verdicts {
        assert!(verdict.dials > 1, "{verdict}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_comes_back_and_resumes_when_the_line_breaks_at_any_place() {
    let down = ["challenge", "welcome", "send", "ack"];
    let up = ["hello", "ack", "event", "health"];
    let cuts = down.map(|frame| format!("do = \"cut\"\nframe = \"{frame}\""));
    let lost = up.map(|frame| format!("do = \"cut\"\ndirection = \"up\"\nframe = \"{frame}\""));
    let all: Vec<String> = cuts
        .iter()
        .chain(&lost)
        .map(|it| with_fault(2, it))
        .collect();
    for verdict in all_hold(&all).await {
        assert_eq!(verdict.faults[0].hits, 1, "{verdict}");
        assert!(verdict.dials > 1, "{verdict}");
        let once = verdict.messages.iter().all(|it| it.exposures == 1);
        assert!(once, "{verdict}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_comes_back_after_every_code_that_does_not_stop_it() {
    let faults = [1000, 1001, 1011, 3000, 4400, 4409].map(|code| {
        let fault = format!("do = \"close\"\nframe = \"send\"\ncode = {code}");
        with_fault(2, &fault)
    });
    for verdict in all_hold(&faults).await {
        assert!(verdict.dials > 1, "{verdict}");
    }
}

/// Closes with a code that stops the phone; a dial within the time to come breaks the rule
/// `reconnect`, and so does one that a new network brings about.
async fn stays_away(code: u16) {
    let fault = format!("do = \"close\"\nframe = \"send\"\ncode = {code}");
    let run = Run::start(&format!(
        "[end]\nwhen = \"steps\"\nlinger_ms = 1500\n{}[[step]]\nwait.ended = 1\npass = true\n",
        with_fault(2, &fault)
    ))
    .await;
    let (shows, mut shown) = watch::channel(false);
    let mut config = run.phone_config();
    config.watcher = Some(Arc::new(move |seen| {
        if seen.to_string().contains("UpdateNeeded") {
            shows.send_replace(true);
        }
    }));
    let phone = VirtualPhone::start(config).await.unwrap();
    run.until(r#"{"ended": 1}"#).await;
    if matches!(code, 4403 | 4410) {
        phone.closed().await;
    } else {
        shown.wait_for(|it| *it).await.unwrap();
        phone.network_changed().await;
    }
    let verdict = run.finish().await;
    phone.stop().await.unwrap();
    assert!(verdict.held, "{code}: {verdict}");
    assert_eq!(verdict.ended, Some("reached"), "{code}: {verdict}");
    assert_eq!((verdict.dials, verdict.faults[0].hits), (1, 1), "{code}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_does_not_dial_again_after_a_code_that_stops_it() {
    tokio::join!(
        stays_away(4403),
        stays_away(4406),
        stays_away(4410),
        stays_away(4426),
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_comes_through_what_the_steps_of_a_file_break() {
    let scenario = "[[step]]\nwait.connected = 1\nstall = { side = \"write\", ms = 100 }\n\
                    [[step]]\nsend = {}\n\
                    [[step]]\nwait.settled = true\nclose = 1001\n\
                    [[step]]\nwait.connected = 2\nsend = {}\n\
                    [[step]]\nwait.settled = true\nstall = { side = \"both\", ms = 100 }\n\
                    [[step]]\nbye = 50\n\
                    [[step]]\nwait.connected = 3\nsend = {}\n\
                    [[step]]\nwait.settled = true\nclose = 4401\n\
                    [[step]]\nwait.connected = 4\nsend = {}\n";
    let verdict = play(scenario).await;
    assert!(verdict.held, "{verdict}");
    assert_eq!((verdict.dials, verdict.messages.len()), (4, 4), "{verdict}");
    let once = verdict.messages.iter().all(|it| it.exposures == 1);
    assert!(once, "{verdict}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_tells_again_what_was_lost_on_its_way_up() {
    // A lost fact leaves a gap: the hub closes, and the agent resumes.
    let lost = ["health", "event"].map(|frame| {
        let fault = format!("do = \"drop\"\ndirection = \"up\"\nframe = \"{frame}\"");
        with_fault(2, &fault)
    });
    for verdict in all_hold(&lost).await {
        assert_eq!(verdict.faults[0].hits, 1, "{verdict}");
        assert!(verdict.dials > 1, "{verdict}");
    }
    // An ack says all that those before it said.
    let ack = with_fault(2, "do = \"drop\"\ndirection = \"up\"\nframe = \"ack\"");
    let verdicts = all_hold(&[ack]).await;
    assert_eq!((verdicts[0].dials, verdicts[0].faults[0].hits), (1, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_ends_a_connection_that_broke_the_protocol_and_resumes() {
    let all = [
        "not_json",
        "duplicate_key",
        "too_deep",
        "large_number",
        "not_utf8",
        "no_type",
        "no_fields",
        "oversize",
        "binary",
    ];
    let faults = all.map(|how| {
        with_fault(
            2,
            &format!("do = \"malformed\"\nframe = \"send\"\nhow = \"{how}\""),
        )
    });
    for verdict in all_hold(&faults).await {
        assert!(verdict.dials > 1, "{verdict}");
    }
    let gap = all_hold(&[with_fault(3, "do = \"drop\"\nframe = \"send\"\nnth = 2")]).await;
    assert!(gap[0].dials > 1, "{}", gap[0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_believes_no_impossible_number() {
    for verdict in all_hold(&one_each(&[
        "do = \"lie\"\nframe = \"ack\"\nack_by = 100",
        "do = \"lie\"\nframe = \"welcome\"\nup_by = 100",
        "do = \"close\"\nframe = \"send\"\ncode = 1001\n[[fault]]\n\
         do = \"lie\"\nframe = \"welcome\"\nnth = 2\ngeneration_by = 3",
    ]))
    .await
    {
        assert!(verdict.dials > 1, "{verdict}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_lives_with_acks_that_say_too_little_and_clocks_that_lie() {
    for verdict in all_hold(&one_each(&[
        "do = \"lie\"\nframe = \"ack\"\nack_by = -1\ntimes = 0",
        "do = \"drop\"\nframe = \"ack\"\ntimes = 0",
        "do = \"lie\"\nframe = \"welcome\"\nnow_by_ms = -31536000000",
        "do = \"lie\"\nframe = \"welcome\"\nlimit_by = -254",
    ]))
    .await
    {
        assert_eq!(verdict.dials, 1, "{verdict}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_ignores_and_acks_what_it_does_not_know_and_stops_for_what_it_must() {
    let step = "[[step]]\nwait.connected = 1\nunknown";
    let send = "[[step]]\nsend = {}\n";
    all_hold(&[
        format!("{step} = {{}}\n{send}"),
        format!("{step} = {{ numbered = true }}\n{send}"),
    ])
    .await;
    let must = format!(
        "[end]\nwhen = \"steps\"\n{step} = {{ crit = true }}\n[[step]]\nwait.ended = 1\npass = true\n"
    );
    let verdict = play(&must).await;
    assert!(verdict.held, "{verdict}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_shows_what_it_holds_after_a_new_generation() {
    let scenario = "[[step]]\nwait.connected = 1\nsend = { count = 3 }\n\
                    [[step]]\nwait.state = { is = \"sent\" }\ngeneration = 2\n\
                    [[step]]\nwait.connected = 2\nsend = { count = 2 }\n";
    let verdict = play(scenario).await;
    assert!(verdict.held, "{verdict}");
    assert_eq!(verdict.messages.len(), 5);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_gives_back_cancels_pauses_and_answers() {
    let scenario = "[[step]]\nwait.connected = 1\nconfig = { pause = true }\n\
                    [[step]]\nsend = { label = \"back\" }\n[[step]]\nsend = { label = \"off\" }\n\
                    [[step]]\nsend = { label = \"stays\", kind = \"of_a_later_version\" }\n\
                    [[step]]\nwait.state = { is = \"failed\" }\nrevoke = \"back\"\n\
                    [[step]]\ncancel = \"off\"\n";
    let verdict = play(scenario).await;
    assert!(verdict.held, "{verdict}");
    let statuses: Vec<&str> = verdict
        .messages
        .iter()
        .map(|it| it.view.status.as_str())
        .collect();
    assert_eq!(statuses, ["revoked", "cancelled", "failed"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_that_is_removed_stops_and_can_join_again() {
    let run = Run::start(
        "[[step]]\nwait.connected = 1\nunpair = true\n[[step]]\nwait.connected = 2\nsend = {}\n",
    )
    .await;
    let phone = run.phone().await;
    phone.closed().await;
    phone.stop().await.unwrap();
    let again = run.phone().await;
    let verdict = run.finish().await;
    again.stop().await.unwrap();
    assert!(verdict.held, "{verdict}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_that_its_owner_unpairs_says_so_and_can_join_again() {
    let run = Run::start(
        "[[step]]\nwait.connected = 1\nsend = {}\n[[step]]\nwait.connected = 2\nsend = {}\n",
    )
    .await;
    let phone = run.phone().await;
    run.until(r#"{"connected": 1, "state": {"is": "delivered"}}"#)
        .await;
    let told_all = phone.unpair(Duration::from_secs(60)).await.unwrap();
    assert!(told_all);
    let again = run.phone().await;
    let verdict = run.finish().await;
    again.stop().await.unwrap();
    assert!(verdict.held, "{verdict}");
    assert_eq!((verdict.dials, verdict.messages.len()), (2, 2), "{verdict}");
}
