//! Held pages: what a phone's word changes, and what it does not.

use super::generations::{forget, forget_exposure, reconcile, row};
use super::support::{Phone, TestHub, fresh_id, hub};
use hub_domain::Direction;
use hub_store::{meta, projects};
use postrider_link::frame::HeldRow;
use postrider_link::ownership::hub::HubState;
use postrider_link::proof::Proof;
use postrider_model::{MessageId, WireState};

/// A row with the hub's own proof, as a phone has it from the frame.
pub(crate) fn proven(
    hub: &TestHub,
    phone: &Phone,
    id: MessageId,
    ep: u32,
    state: WireState,
) -> HeldRow {
    let install = phone.install.parse().expect("a name");
    let proof = Some(hub.hub.proofs.of(phone.device, &install, id, ep));
    HeldRow {
        id,
        ep,
        state,
        proof,
    }
}

/// Connects phones once, so that they are no strangers.
async fn known(hub: &TestHub, phones: [&mut Phone; 2]) {
    for phone in phones {
        let line = phone.connect().await;
        phone.cut(line);
    }
    hub.until_connected(0).await;
}

#[tokio::test]
async fn each_send_carries_the_hubs_own_proof_also_when_it_goes_out_again() {
    let hub = hub().await;
    let mut phone = hub.pair().await;
    let id = hub.queue(&phone, "proven").await;
    let own = proven(&hub, &phone, id, 1, WireState::OnPhone).proof;
    let mut line = phone.connect().await;
    let frame = line.send().await;
    assert_eq!(frame.proof, own);
    line.down = frame.s - 1;
    phone.cut(line);
    let mut line = phone.connect().await;
    assert_eq!(line.send().await.proof, own);
}

#[tokio::test]
async fn a_page_speaks_of_no_message_of_another_phone_and_of_none_that_no_phone_sends() {
    let hub = hub().await;
    let (mut liar, mut victim) = (hub.pair().await, hub.pair().await);
    let line = liar.connect().await;
    liar.cut(line);
    let held = hub.queue(&victim, "held").await;
    let mut victims = victim.connect().await;
    let frame = victims.send().await;
    victims.event(&frame, WireState::Submitting).await;
    victims.settle().await;
    hub.change(&victim, |row| row.set_paused(true)).await;
    let waits = hub.queue(&victim, "waits").await;
    let simulated = hub
        .queue_with(&liar, "test", |it| it.simulated = true)
        .await;
    let came = hub
        .queue_with(&liar, "in", |it| {
            it.direction = Direction::Incoming;
            it.ownership = None;
        })
        .await;
    let ids = [held, waits, simulated, came];
    let mut before = Vec::new();
    for id in ids {
        before.push(hub.message(id).await);
    }
    let mut rows = Vec::new();
    for id in ids {
        for state in WireState::ALL {
            for ep in 0..4 {
                let proof = Some(Proof([7; 16])).filter(|_| ep % 2 == 0);
                rows.push(HeldRow {
                    id,
                    ep,
                    state: *state,
                    proof,
                });
            }
        }
    }
    let mut line = liar.greet(|hello| hello.generation += 1).await;
    reconcile(&mut line, rows).await;
    for (id, before) in ids.into_iter().zip(before) {
        assert_eq!(hub.message(id).await, before);
    }
    assert_eq!(
        hub.aside().await,
        ["held messages that never were this phone's"]
    );
    victims.event(&frame, WireState::Sent).await;
    victims.settle().await;
    assert_eq!(
        hub.state(held).await,
        HubState::Sent,
        "its own phone's word counts"
    );
}

#[tokio::test]
async fn what_a_resend_gave_another_phone_counts_by_its_proof_and_without_it_is_set_aside() {
    let hub = hub().await;
    let (mut holder, mut other) = (hub.pair().await, hub.pair().await);
    known(&hub, [&mut holder, &mut other]).await;
    // Before the hub went back its sender had named `holder`; now it is for `other` again.
    let (id, lost) = (
        hub.queue(&other, "moved").await,
        hub.queue(&other, "moved, too").await,
    );
    hub.freeze().await;
    let mut line = holder.greet(|_| {}).await;
    let shown = proven(&hub, &holder, id, 1, WireState::Sent);
    reconcile(&mut line, vec![shown, row(lost, WireState::Sent)]).await;
    assert_eq!(hub.state(id).await, HubState::Sent);
    assert_eq!(hub.state(lost).await, HubState::Waiting);
    assert_eq!(
        hub.aside().await,
        ["held messages that never were this phone's"]
    );
}

#[tokio::test]
async fn a_proof_of_another_installation_or_exposure_is_none() {
    let hub = hub().await;
    let (mut liar, mut victim) = (hub.pair().await, hub.pair().await);
    known(&hub, [&mut liar, &mut victim]).await;
    let id = hub.queue(&victim, "waits").await;
    let stolen = proven(&hub, &victim, id, 1, WireState::Sent);
    let own = proven(&hub, &liar, id, 1, WireState::Sent);
    let other_ep = HeldRow { ep: 2, ..own };
    let mut line = liar.greet(|hello| hello.generation += 1).await;
    reconcile(&mut line, vec![stolen, other_ep]).await;
    assert_eq!(hub.state(id).await, HubState::Waiting);
}

#[tokio::test]
async fn numbers_freeze_their_phone_and_a_proven_row_of_what_is_forgotten_its_project() {
    let hub = hub().await;
    let (mut first, mut second) = (hub.pair().await, hub.pair().await);
    known(&hub, [&mut first, &mut second]).await;
    let old = hub.queue(&second, "perhaps given to the first").await;
    let id = hub.queue(&first, "forgotten").await;
    let mut line = first.connect().await;
    line.send().await;
    line.ack().await;
    line.pong().await;
    first.cut(line);
    forget(&hub, &first).await;
    forget_exposure(&hub, id).await;

    let mut line = first.greet(|_| {}).await;
    assert!(hub.until_frozen(&first).await);
    assert!(
        !hub.device(&second).await.frozen,
        "numbers are only numbers"
    );
    let shown = proven(&hub, &first, id, 1, WireState::Sent);
    assert_eq!(reconcile(&mut line, vec![shown]).await, 2);
    assert_eq!(hub.state(id).await, HubState::Sent);
    assert!(!hub.device(&first).await.frozen);
    assert!(
        hub.device(&second).await.frozen,
        "it may have been given any of the rest"
    );
    assert_eq!(hub.alerts().await, ["hub_frozen"]);
    assert_eq!(
        hub.write(meta::generation).await,
        1,
        "a restore alone raises it"
    );
    let new = hub.queue(&first, "new").await;
    assert_eq!(line.send().await.id, new);

    let mut seconds = second.greet(|_| {}).await;
    let shown = proven(&hub, &second, old, 1, WireState::OnPhone);
    reconcile(&mut seconds, vec![shown]).await;
    assert_eq!(hub.state(old).await, HubState::OnPhone);
    assert!(hub.alerts().await.is_empty());
    // Both go on in generations of their own, and nobody is asked again.
    for (phone, line) in [(&mut first, line), (&mut second, seconds)] {
        phone.cut(line);
        phone.generation = 2;
        let line = phone.connect().await;
        phone.cut(line);
    }
}

#[tokio::test]
async fn a_restore_asks_a_phone_with_a_generation_of_its_own() {
    let hub = hub().await;
    let mut phone = hub.pair().await;
    let mut line = phone.greet(|hello| hello.generation += 5).await;
    assert_eq!(reconcile(&mut line, Vec::new()).await, 7);
    phone.cut(line);
    phone.generation = 7;
    hub.freeze().await;
    let mut line = phone.greet(|_| {}).await;
    assert_eq!(reconcile(&mut line, Vec::new()).await, 8);
    assert!(!hub.device(&phone).await.frozen);
}

#[tokio::test]
async fn a_message_that_was_removed_with_its_age_proves_nothing() {
    let hub = hub().await;
    let (mut liar, mut other) = (hub.pair().await, hub.pair().await);
    known(&hub, [&mut liar, &mut other]).await;
    let project = hub.project.id;
    hub.write(move |tx| {
        let mut kept = projects::get(tx, project)?.expect("it is there");
        kept.message_retention_days = Some(0);
        projects::update(tx, &kept)
    })
    .await;
    let nowhere = fresh_id(&hub.hub, hub.hub.now());
    let mut line = liar.greet(|hello| hello.generation += 1).await;
    let shown = proven(&hub, &liar, nowhere, 1, WireState::Sent);
    reconcile(&mut line, vec![shown]).await;
    assert!(!hub.device(&other).await.frozen);
}
