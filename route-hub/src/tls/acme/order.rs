//! Asking an authority for one certificate.

use crate::tls::TlsError;
use crate::tls::acme::error::AcmeError;
use crate::tls::acme::shelf::Issued;
use crate::tls::acme::shown::Shown;
use instant_acme::{
    Account, AuthorizationStatus, ChallengeType, Identifier, NewOrder, Order, OrderStatus,
    RetryPolicy,
};
use rcgen::{CertificateParams, CustomExtension, KeyPair};
use rustls::crypto::ring::sign::any_supported_type;
use rustls::sign::CertifiedKey;
use rustls_pki_types::PrivateKeyDer;

/// Asks for a certificate of a name, and shows the authority meanwhile that the name is the hub's.
pub(super) async fn certificate(
    account: &Account,
    name: &str,
    shown: &Shown,
) -> Result<Issued, AcmeError> {
    let names = [Identifier::Dns(name.to_owned())];
    let mut order = account.new_order(&NewOrder::new(&names)).await?;
    let mut answers = Vec::new();
    let mut authorizations = order.authorizations();
    while let Some(authorization) = authorizations.next().await {
        let mut authorization = authorization?;
        if authorization.status == AuthorizationStatus::Valid {
            continue;
        }
        let challenge = authorization.challenge(ChallengeType::TlsAlpn01);
        let mut challenge = challenge.ok_or(AcmeError::NoChallenge)?;
        let digest = challenge.key_authorization().digest();
        answers.push(shown.answer(name, answer(name, digest.as_ref())?));
        challenge.set_ready().await?;
    }
    let ready = order.poll_ready(&RetryPolicy::default()).await;
    drop(answers);
    if !matches!(ready, Ok(OrderStatus::Ready)) {
        return Err(match problem(&mut order).await {
            Some(problem) => AcmeError::NotSeen(problem),
            None => ready.err().map_or(AcmeError::Refused, AcmeError::Authority),
        });
    }
    let key = order.finalize().await?;
    let chain = order.poll_certificate(&RetryPolicy::default()).await?;
    Ok(Issued { key, chain })
}

/// Makes the certificate that proves to the authority that it looked at the hub (RFC 8737).
fn answer(name: &str, digest: &[u8]) -> Result<CertifiedKey, AcmeError> {
    let key = KeyPair::generate()?;
    let mut params = CertificateParams::new(vec![name.to_owned()])?;
    let proof = CustomExtension::new_acme_identifier(digest);
    params.custom_extensions.push(proof);
    let certificate = params.self_signed(&key)?;
    let der = PrivateKeyDer::Pkcs8(key.serialize_der().into());
    // Not checked against its key: the library does not read certificates with this extension.
    let key = any_supported_type(&der).map_err(TlsError::from)?;
    Ok(CertifiedKey::new(vec![certificate.der().clone()], key))
}

/// Returns what the authority says of a name that it could not see as the hub's.
async fn problem(order: &mut Order) -> Option<String> {
    let mut authorizations = order.authorizations();
    while let Some(Ok(mut authorization)) = authorizations.next().await {
        let state = authorization.refresh().await.ok()?;
        let mut problems = state.challenges.iter().filter_map(|it| it.error.as_ref());
        if let Some(problem) = problems.next() {
            return Some(problem.to_string());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use x509_parser::parse_x509_certificate;

    #[test]
    fn the_answer_names_the_name_alone_and_holds_the_proof() {
        let answer = answer("hub.example", &[7; 32]).unwrap();
        let (_, parsed) = parse_x509_certificate(&answer.cert[0]).unwrap();
        let names = parsed.subject_alternative_name().unwrap().unwrap();
        let names: Vec<_> = names
            .value
            .general_names
            .iter()
            .map(ToString::to_string)
            .collect();
        assert_eq!(names, ["DNSName(hub.example)"]);
        let proof = parsed
            .extensions()
            .iter()
            .find(|it| it.oid.to_id_string() == "1.3.6.1.5.5.7.1.31");
        let proof = proof.unwrap();
        assert!(proof.critical);
        assert_eq!(proof.value[2..], [7; 32]);
    }
}
