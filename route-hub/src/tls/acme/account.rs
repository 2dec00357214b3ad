//! The hub's account with an authority.

use crate::tls::acme::client::Client;
use crate::tls::acme::error::AcmeError;
use crate::tls::acme::settings::AcmeSettings;
use crate::tls::acme::shelf::Shelf;
use instant_acme::{Account, NewAccount};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// An account as it is kept.
#[derive(Serialize, Deserialize)]
struct Kept {
    /// Where the authority was told to write to.
    mail: String,
    credentials: Value,
}

/// Opens the account, and makes one where there is none.
pub(super) async fn open(shelf: &Shelf, settings: &AcmeSettings) -> Result<Account, AcmeError> {
    let builder = Account::builder_with_http(Box::new(Client::new(settings.root.as_deref())?));
    let contact = format!("mailto:{}", settings.mail);
    let keep = |credentials| {
        let mail = settings.mail.clone();
        shelf.keep_account(&serde_json::to_string(&Kept { mail, credentials })?)?;
        Ok::<_, AcmeError>(())
    };
    let Some(text) = shelf.account()? else {
        let new = NewAccount {
            contact: &[&contact],
            terms_of_service_agreed: true,
            only_return_existing: false,
        };
        let (account, credentials) = builder
            .create(&new, settings.directory.clone(), None)
            .await?;
        keep(serde_json::to_value(credentials)?)?;
        return Ok(account);
    };
    let kept: Kept = serde_json::from_str(&text)?;
    let credentials = serde_json::from_value(kept.credentials.clone())?;
    let account = builder.from_credentials(credentials).await?;
    if kept.mail != settings.mail {
        account.update_contacts(&[&contact]).await?;
        keep(kept.credentials)?;
    }
    Ok(account)
}
