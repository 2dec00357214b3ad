//! A phone asks to join: its code is looked at, for one of the tries that its source has.

use crate::failure::NotDone;
use crate::hub::Hub;
use crate::hub::pairing_tries::{NoTries, Source, Try};
use crate::pairing::claim::{Circumstances, Claim, claim};
use crate::pairing::code::GivenCode;
use crate::pairing::open::kept_since;
use crate::pairing::request::PairRequest;
use hub_domain::Phone;
use hub_store::{Gate, StoreError, Tx, pairings, phones};

/// What a phone's request comes to.
#[derive(Debug)]
pub struct Asked {
    /// What its code was good for.
    pub claim: Claim,
    /// The device's Phones, once it has joined.
    pub phones: Vec<Phone>,
}

/// Looks at the code of a request from `source`, unless that has no tries left.
pub async fn ask(
    hub: &Hub,
    source: Source,
    given: GivenCode,
    request: PairRequest,
    with: Circumstances,
) -> Result<Asked, NotDone<NoTries>> {
    let taking = hub.pairing_tries.take(&hub.store, source, with.now);
    let taken = taking.await?;
    // It goes on to its end when the phone hangs up, so that a right code gives its try back.
    let checking = tokio::spawn(check(hub.clone(), given, request, with, taken));
    let checked = checking.await.unwrap_or(Err(StoreError::Panicked));
    Ok(checked?)
}

/// Looks at a code, and gives the try back unless it was wrong.
async fn check(
    hub: Hub,
    given: GivenCode,
    request: PairRequest,
    with: Circumstances,
    taken: Try,
) -> Result<Asked, StoreError> {
    let checked = look(&hub, given, request, with).await;
    if !matches!(&checked, Ok(asked) if asked.claim == Claim::Wrong)
        && let Err(error) = taken.give_back(&hub.store).await
    {
        hub_store::failed!(
            warn,
            error,
            "a try of a pairing code could not be given back"
        );
    }
    checked
}

async fn look(
    hub: &Hub,
    given: GivenCode,
    request: PairRequest,
    with: Circumstances,
) -> Result<Asked, StoreError> {
    let name = given.name().to_owned();
    let finding = hub
        .store
        .read(move |tx| pairings::by_code_name(tx, &name, kept_since(with.now)));
    let Some(pairing) = finding.await? else {
        return Ok(Asked {
            claim: Claim::Wrong,
            phones: Vec::new(),
        });
    };
    let job = move |tx: &mut Tx<'_>| {
        let claim = claim(tx, &given, &request, with)?;
        let device = match &claim {
            Claim::Confirmed(pairing) => pairing.device_id,
            _ => None,
        };
        let phones = match device {
            Some(device) => phones::of_device(tx, device)?,
            None => Vec::new(),
        };
        Ok(Asked { claim, phones })
    };
    let gate = Gate::Project(pairing.project_id);
    hub.store.hub_at(gate).write(job).await
}
