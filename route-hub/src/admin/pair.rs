//! `admin pair`: print a code, wait for a phone, compare six digits, confirm.

use crate::admin::Admin;
use crate::admin::args::PairArgs;
use crate::admin::invitation::Invitation;
use hub_app::data_folder::error::CommandError;
use hub_app::failure::NotDone;
use hub_app::hub_work::HubWork;
use hub_app::pairing::code::NewCode;
use hub_app::pairing::confirm::{self, ConfirmRefused, Joined};
use hub_app::pairing::open::{self, Purpose};
use hub_domain::{Pairing, PairingState};
use hub_store::{StoreError, Tx, devices, meta, pairings, projects};
use postrider_model::PairingId;
use serde_json::{Value, json};
use std::convert::Infallible;
use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::thread;
use std::time::Duration;

/// How often the command looks whether a phone has used the code.
const LOOK_EVERY: Duration = Duration::from_millis(150);

pub(super) fn run(admin: &Admin, args: PairArgs) -> Result<(), CommandError> {
    let pairing = match &args.confirm {
        Some(name) => find(admin, name)?,
        None => {
            let pairing = invite(admin, &args)?;
            if args.no_wait {
                return Ok(());
            }
            pairing
        }
    };
    let digits = wait_for_phone(admin, pairing.id)?;
    admin.out.show(&json!({"digits": digits}), || {
        format!("\nA phone has used the code. It must show the same six digits:\n\n    {digits}\n")
    });
    let (id, project) = (pairing.id, pairing.project_id);
    if !args.yes && !operator_agrees()? {
        let job = move |work: &mut HubWork<'_, '_>| {
            Ok::<_, NotDone<Infallible>>(confirm::refuse(work.tx, id)?)
        };
        admin.write_in(move |_| Ok(Some(project)), job)?;
        return Err(CommandError::new("refused: the code is no longer valid"));
    }
    let joined = admin.write_in(
        move |_| Ok(Some(project)),
        move |work| confirm::confirm(work, id),
    )?;
    show_joined(admin, &joined);
    Ok(())
}

/// Draws a code and shows it.
fn invite(admin: &Admin, args: &PairArgs) -> Result<Pairing, CommandError> {
    let own_url = admin.read(|tx: &mut Tx<'_>| meta::get(tx, open::BASE_URL))?;
    let own_pin = admin.read(|tx: &mut Tx<'_>| meta::get(tx, open::OWN_PIN))?;
    check_hub(args.hub.as_deref(), own_url.as_deref())?;
    let purpose = purpose(admin, args)?;
    let name = args.name.clone().unwrap_or_default();
    let find = move |tx: &mut Tx<'_>| match purpose {
        Purpose::Join(project) => Ok(Some(project)),
        Purpose::Replace(id) => Ok(devices::get(tx, id)?.map(|device| device.project_id)),
    };
    let (pairing, code) = admin.write_in(find, move |work| open::open(work, &purpose, &name))?;
    let hub_url = args.hub.clone().or(own_url);
    let pins = pins(&args.pins, hub_url.as_deref(), own_pin);
    let invitation = Invitation::new(hub_url.as_deref(), &code, &pins)?;
    if let Some(file) = &args.png {
        draw(invitation.as_ref(), file)?;
    }
    show_code(admin, &code, invitation.as_ref());
    Ok(pairing)
}

/// Returns the pins that were given; without any, that of a hub that nobody else vouches for.
fn pins(given: &[String], hub_url: Option<&str>, own: Option<String>) -> Vec<String> {
    if !given.is_empty() || !has_scheme(hub_url, "https") {
        return given.to_vec();
    }
    own.into_iter().collect()
}

fn has_scheme(url: Option<&str>, scheme: &str) -> bool {
    let found = url.and_then(|url| url.trim().split_once("://"));
    found.is_some_and(|(found, _)| found.eq_ignore_ascii_case(scheme))
}

/// Refuses an https address that the hub itself does not know: it would lead phones to a link
/// without TLS.
fn check_hub(asked: Option<&str>, own_url: Option<&str>) -> Result<(), CommandError> {
    if has_scheme(asked, "https") && has_scheme(own_url, "http") {
        return Err(CommandError::new(
            "the hub does not know that it is reached over https: start it with --public-url and \
             the address that phones dial",
        ));
    }
    Ok(())
}

fn purpose(admin: &Admin, args: &PairArgs) -> Result<Purpose, CommandError> {
    match (args.device, args.project) {
        (Some(device), _) => Ok(Purpose::Replace(device)),
        (None, Some(project)) => Ok(Purpose::Join(project)),
        (None, None) => {
            let all = admin.read(|tx: &mut Tx<'_>| projects::all(tx))?;
            match all.as_slice() {
                [only] => Ok(Purpose::Join(only.id)),
                [] => Err(CommandError::new("there is no project: make one first")),
                _ => Err(CommandError::new(
                    "there are several projects: give one with --project",
                )),
            }
        }
    }
}

/// Writes the QR code to a file that nobody else may read: it holds the code.
fn draw(invitation: Option<&Invitation>, file: &Path) -> Result<(), CommandError> {
    let needs_hub = || CommandError::new("--png needs --hub: where phones reach the hub");
    let picture = invitation.ok_or_else(needs_hub)?.png()?;
    let written = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(file)
        .and_then(|mut file| file.write_all(&picture));
    written.map_err(|error| CommandError::of(format!("--png {}", file.display()), &error))
}

fn show_code(admin: &Admin, code: &NewCode, invitation: Option<&Invitation>) {
    let json = json!({
        "code": code.typed(),
        "full_code": code.full(),
        "uri": invitation.map(Invitation::app_link),
        "qr": invitation.map(Invitation::link),
    });
    admin.out.show(&json, || {
        let typed = code.typed();
        let typed = format!("Code to type: {typed}\nIt works once, within 10 minutes.");
        match invitation {
            Some(it) => format!("{}\n{}\n\n{typed}", it.qr(), it.link()),
            None => format!("{typed}\nFor a QR code, say with --hub where phones reach the hub."),
        }
    });
}

fn find(admin: &Admin, name: &str) -> Result<Pairing, CommandError> {
    let (name, now) = (name.trim().to_ascii_uppercase(), admin.hub.now().unix);
    let found = admin.read(move |tx: &mut Tx<'_>| pairings::by_code_name(tx, &name, now))?;
    found.ok_or_else(|| CommandError::new("there is no open code of that name"))
}

/// Waits until a phone has used the code, and returns the digits.
fn wait_for_phone(admin: &Admin, id: PairingId) -> Result<String, CommandError> {
    loop {
        let found = match admin
            .hub
            .store
            .read_blocking(move |tx| pairings::get(tx, id))
        {
            Err(StoreError::Busy) => continue,
            found => found?,
        };
        let Some(pairing) = found else {
            return Err(CommandError::new("the code has expired"));
        };
        match pairing.state {
            PairingState::Claimed | PairingState::Confirmed => {
                return Ok(pairing.digits.unwrap_or_default());
            }
            PairingState::Ended => {
                let text = ConfirmRefused::Ended.to_string();
                return Err(CommandError::new(text));
            }
            PairingState::Open | PairingState::Committed
                if pairing.time_expires <= admin.hub.now().unix =>
            {
                return Err(CommandError::new("the code has expired: no phone used it"));
            }
            PairingState::Open | PairingState::Committed => thread::sleep(LOOK_EVERY),
        }
    }
}

fn operator_agrees() -> Result<bool, CommandError> {
    let mut prompt = io::stderr().lock();
    write!(prompt, "Are they the same? [y/N] ")?;
    prompt.flush()?;
    let mut answer = String::new();
    io::stdin().read_line(&mut answer)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}

fn show_joined(admin: &Admin, joined: &Joined) {
    let phones: Vec<Value> = joined
        .phones
        .iter()
        .map(crate::admin::phone::view)
        .collect();
    let json = json!({"device_id": joined.device.id, "phones": phones});
    admin.out.show(&json, || {
        let mut text = format!("{} has joined ({})\n", joined.device.id, joined.device.name);
        for phone in &joined.phones {
            text.push_str(&format!("{}  {}\n", phone.id, phone.name));
        }
        text
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phone_is_told_the_hubs_own_pin_where_it_dials_https_and_no_other_is_given() {
        let own = || Some("own".to_owned());
        let dialled = |url| pins(&[], Some(url), own());
        assert_eq!(dialled("https://hub.lan"), ["own"]);
        assert_eq!(dialled("HTTPS://hub.lan"), ["own"]);
        assert!(dialled("http://127.0.0.1").is_empty());
        assert!(pins(&[], None, own()).is_empty());
        let given = ["next".to_owned()];
        assert_eq!(pins(&given, Some("https://hub.lan"), own()), given);
    }
}
