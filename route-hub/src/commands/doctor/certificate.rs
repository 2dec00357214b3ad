//! A certificate: its names, its chain, and how long it is good.

use super::finding::Finding;
use rustls::client::{verify_server_cert_signed_by_trust_anchor, verify_server_name};
use rustls::crypto::ring::default_provider;
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, Error, RootCertStore};
use rustls_pki_types::pem::PemObject as _;
use rustls_pki_types::{CertificateDer, ServerName, UnixTime};
use std::path::Path;
use std::time::Duration;
use x509_cert::Certificate;
use x509_cert::der::Decode as _;

const DAY_S: i64 = 24 * 3_600;
/// With fewer days left, whatever renews it has failed.
const GOOD_DAYS: i64 = 14;

/// Who vouches for a certificate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Chain {
    /// An authority that this machine knows.
    Complete,
    /// Nobody but itself.
    SelfSigned,
    /// An authority that is not shown.
    Cut,
    /// Somebody that this machine does not know.
    Unknown,
}

/// What a certificate says.
#[derive(Debug, Clone)]
struct Seen {
    not_before_s: i64,
    not_after_s: i64,
    chain: Chain,
    /// Names that phones dial, and it does not have.
    names_missing: Vec<String>,
}

/// Looks at the certificate in a file.
pub(super) fn look_in(file: &Path, names: &[String], now_s: i64) -> Vec<Finding> {
    let read = CertificateDer::pem_file_iter(file).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    match read {
        Ok(chain) => look(&chain, &file.display().to_string(), names, false, now_s),
        Err(error) => vec![Finding::bad(
            format!("{}: {error}", file.display()),
            "Name the file of the chain, in PEM, with --tls-cert",
        )],
    }
}

/// Looks at a chain that came from `source`, for these names. `pins` says that phones get the pin of a key that
/// the hub made.
pub(super) fn look(
    chain: &[CertificateDer<'_>],
    source: &str,
    names: &[String],
    pins: bool,
    now_s: i64,
) -> Vec<Finding> {
    match seen(chain, names, now_s) {
        Some(seen) => judge(source, &seen, pins, now_s),
        None => vec![Finding::bad(
            format!("the certificate of {source} cannot be read"),
            "Get a new one",
        )],
    }
}

fn seen(chain: &[CertificateDer<'_>], names: &[String], now_s: i64) -> Option<Seen> {
    let (first, others) = chain.split_first()?;
    let read = Certificate::from_der(first).ok()?.tbs_certificate;
    let seconds =
        |time: x509_cert::time::Time| i64::try_from(time.to_unix_duration().as_secs()).ok();
    let not_before_s = seconds(read.validity.not_before)?;
    let not_after_s = seconds(read.validity.not_after)?;
    let parsed = ParsedCertificate::try_from(first).ok()?;
    let is_named = |name: &String| {
        let name = ServerName::try_from(name.as_str());
        name.is_ok_and(|name| verify_server_name(&parsed, &name).is_ok())
    };
    let chain = if read.issuer == read.subject {
        Chain::SelfSigned
    } else {
        // One that has run out is told by its days.
        let at_s = now_s.clamp(not_before_s, not_after_s);
        vouched(&parsed, others, u64::try_from(at_s).unwrap_or(0))
    };
    Some(Seen {
        not_before_s,
        not_after_s,
        chain,
        names_missing: names
            .iter()
            .filter(|name| !is_named(name))
            .cloned()
            .collect(),
    })
}

fn vouched(parsed: &ParsedCertificate<'_>, others: &[CertificateDer<'_>], at_s: u64) -> Chain {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    let verified = verify_server_cert_signed_by_trust_anchor(
        parsed,
        &roots,
        others,
        UnixTime::since_unix_epoch(Duration::from_secs(at_s)),
        default_provider().signature_verification_algorithms.all,
    );
    match verified {
        Ok(()) => Chain::Complete,
        Err(Error::InvalidCertificate(CertificateError::UnknownIssuer)) if others.is_empty() => {
            Chain::Cut
        }
        Err(_) => Chain::Unknown,
    }
}

fn judge(source: &str, seen: &Seen, pins: bool, now_s: i64) -> Vec<Finding> {
    let mut found = Vec::new();
    let days = (seen.not_after_s - now_s).div_euclid(DAY_S);
    let renew = "Renew it; the hub reads its files again by itself";
    if now_s > seen.not_after_s {
        found.push(Finding::bad(
            format!("the certificate of {source} ran out {} days ago", -days),
            renew,
        ));
    } else if now_s < seen.not_before_s {
        found.push(Finding::bad(
            format!("the certificate of {source} is not good yet"),
            "Is the clock of this machine right?",
        ));
    } else if days < GOOD_DAYS {
        found.push(Finding::doubtful(
            format!("the certificate of {source} has {days} days left"),
            renew,
        ));
    }
    if !seen.names_missing.is_empty() {
        let names = seen.names_missing.join(", ");
        found.push(Finding::bad(
            format!("the certificate of {source} is not for {names}"),
            "Get one with each name that phones dial: that of --public-url, and those of --host",
        ));
    }
    match seen.chain {
        Chain::Complete => {}
        Chain::SelfSigned if pins => {}
        Chain::SelfSigned => found.push(Finding::doubtful(
            format!("{source} signed its certificate itself"),
            "Phones need its pin (`admin pair --pin`), and callers the certificate",
        )),
        Chain::Cut => found.push(Finding::bad(
            format!("{source} shows its certificate without those that vouch for it"),
            "Give the whole chain: `fullchain.pem` in place of `cert.pem`",
        )),
        Chain::Unknown => found.push(Finding::doubtful(
            format!("this machine does not know who vouches for the certificate of {source}"),
            "Phones that do not know it either need its pin (`admin pair --pin`)",
        )),
    }
    if found.is_empty() {
        found.push(Finding::good(format!(
            "the certificate of {source} is good for {days} days"
        )));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::finding::Verdict;
    use super::*;
    use rcgen::{CertificateParams, Issuer, KeyPair};

    type Case = (fn(&mut Seen), Verdict, &'static str);

    const NOW_S: i64 = 1_800_000_000;

    fn good() -> Seen {
        Seen {
            not_before_s: NOW_S - 60 * DAY_S,
            not_after_s: NOW_S + 30 * DAY_S,
            chain: Chain::Complete,
            names_missing: Vec::new(),
        }
    }

    #[test]
    fn each_fault_of_a_certificate_has_a_line_of_its_own() {
        use Verdict::{Bad, Doubtful, Good};
        let cases: [Case; 9] = [
            (|_| {}, Good, "good for 30 days"),
            (|it| it.not_after_s = NOW_S + 14 * DAY_S, Good, "14 days"),
            (
                |it| it.not_after_s = NOW_S + 14 * DAY_S - 1,
                Doubtful,
                "13 days",
            ),
            (|it| it.not_after_s = NOW_S - DAY_S, Bad, "1 days ago"),
            (|it| it.not_before_s = NOW_S + 1, Bad, "not good yet"),
            (
                |it| it.names_missing = vec!["a.example".into()],
                Bad,
                "a.example",
            ),
            (|it| it.chain = Chain::SelfSigned, Doubtful, "itself"),
            (|it| it.chain = Chain::Cut, Bad, "without those"),
            (|it| it.chain = Chain::Unknown, Doubtful, "does not know"),
        ];
        for (change, verdict, words) in cases {
            let mut seen = good();
            change(&mut seen);
            let found = judge("hub.pem", &seen, false, NOW_S);
            assert_eq!(found.len(), 1, "{found:?}");
            assert_eq!(found[0].verdict, verdict, "{found:?}");
            assert!(found[0].says.contains(words), "{found:?}");
        }
    }

    #[test]
    fn a_key_that_phones_pin_needs_nobody_else() {
        let seen = Seen {
            chain: Chain::SelfSigned,
            ..good()
        };
        let found = judge("hub", &seen, true, NOW_S);
        assert_eq!(found[0].verdict, Verdict::Good, "{found:?}");
    }

    #[test]
    fn names_issuers_and_days_are_read_from_the_certificate() {
        let key = KeyPair::generate().unwrap();
        let own = CertificateParams::new(vec!["a.example".to_owned(), "192.0.2.1".to_owned()]);
        let own = own.unwrap().self_signed(&key).unwrap();
        let names = ["a.example", "192.0.2.1", "b.example"].map(str::to_owned);
        let at_s = NOW_S;
        let found = seen(&[own.der().clone()], &names, at_s).unwrap();
        assert_eq!(found.chain, Chain::SelfSigned);
        assert_eq!(found.names_missing, ["b.example"]);
        assert!(found.not_before_s < found.not_after_s);
        let mut authority = CertificateParams::default();
        authority.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
        authority
            .distinguished_name
            .push(rcgen::DnType::CommonName, "Authority");
        let authority_key = KeyPair::generate().unwrap();
        let top = authority.self_signed(&authority_key).unwrap();
        let issuer = Issuer::new(authority, authority_key);
        let issued = CertificateParams::new(vec!["a.example".to_owned()]).unwrap();
        let issued = issued.signed_by(&key, &issuer).unwrap();
        let chain = |chain: &[CertificateDer<'_>]| seen(chain, &[], at_s).unwrap().chain;
        assert_eq!(chain(&[issued.der().clone()]), Chain::Cut);
        let both = [issued.der().clone(), top.der().clone()];
        assert_eq!(chain(&both), Chain::Unknown);
        assert!(seen(&[CertificateDer::from(vec![1, 2])], &[], at_s).is_none());
        assert!(seen(&[], &[], at_s).is_none());
    }
}
