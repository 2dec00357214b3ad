//! What a handshake is shown: a certificate for each name, and answers to an authority that looks.

use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

/// The protocol of a handshake by which an authority looks whether a name is the hub's (RFC 8737).
pub(crate) const CHALLENGE: &[u8] = b"acme-tls/1";

type ByName = RwLock<BTreeMap<String, Arc<CertifiedKey>>>;

/// Certificates by their names.
#[derive(Debug)]
pub(super) struct Shown {
    /// Whose certificate is shown to whoever names another name, or none.
    public: String,
    certificates: ByName,
    answers: ByName,
}

impl Shown {
    /// Shows nothing yet.
    pub(super) fn new(public: String) -> Self {
        Self {
            public,
            certificates: ByName::default(),
            answers: ByName::default(),
        }
    }

    /// Shows a certificate from now on.
    pub(super) fn show(&self, name: &str, certificate: CertifiedKey) {
        put(&self.certificates, name, certificate);
    }

    /// Answers an authority that looks at a name, until this is dropped.
    pub(super) fn answer<'a>(&'a self, name: &'a str, answer: CertifiedKey) -> Answer<'a> {
        put(&self.answers, name, answer);
        Answer { shown: self, name }
    }

    fn answer_for(&self, name: &str) -> Option<Arc<CertifiedKey>> {
        let answers = self.answers.read().unwrap_or_else(PoisonError::into_inner);
        answers.get(name).cloned()
    }

    fn certificate_for(&self, name: Option<&str>) -> Option<Arc<CertifiedKey>> {
        let all = self.certificates.read();
        let all = all.unwrap_or_else(PoisonError::into_inner);
        let found = name.and_then(|name| all.get(name));
        found.or_else(|| all.get(&self.public)).cloned()
    }
}

fn put(all: &ByName, name: &str, certificate: CertifiedKey) {
    let mut all = all.write().unwrap_or_else(PoisonError::into_inner);
    all.insert(name.to_owned(), Arc::new(certificate));
}

/// An answer that is given as long as this lives.
pub(super) struct Answer<'a> {
    shown: &'a Shown,
    name: &'a str,
}

impl Drop for Answer<'_> {
    fn drop(&mut self) {
        let answers = self.shown.answers.write();
        let mut answers = answers.unwrap_or_else(PoisonError::into_inner);
        answers.remove(self.name);
    }
}

impl ResolvesServerCert for Shown {
    fn resolve(&self, hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        let name = hello.server_name().map(str::to_ascii_lowercase);
        let looks = hello.alpn().is_some_and(|offered| offered.eq([CHALLENGE]));
        if looks {
            return self.answer_for(&name?);
        }
        self.certificate_for(name.as_deref())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tls::certified::certified;
    use rcgen::generate_simple_self_signed;
    use rustls_pki_types::PrivateKeyDer;

    fn made(name: &str) -> CertifiedKey {
        let made = generate_simple_self_signed(vec![name.to_owned()]).unwrap();
        let key = PrivateKeyDer::Pkcs8(made.signing_key.serialize_der().into());
        certified(vec![made.cert.der().clone()], &key).unwrap()
    }

    #[test]
    fn each_name_has_its_certificate_and_others_see_the_public_ones() {
        let shown = Shown::new("hub.example".into());
        assert!(shown.certificate_for(Some("hub.example")).is_none());
        let certificates = ["hub.example", "go.example"].map(made);
        let [public, short] = certificates.clone().map(|it| it.cert);
        for (name, certificate) in ["hub.example", "go.example"].iter().zip(certificates) {
            shown.show(name, certificate);
        }
        let seen = |name| shown.certificate_for(name).unwrap().cert.clone();
        assert_eq!(seen(Some("go.example")), short);
        for name in [Some("hub.example"), Some("elsewhere.example"), None] {
            assert_eq!(seen(name), public, "{name:?}");
        }
    }

    #[test]
    fn an_authority_is_answered_only_while_it_is_asked() {
        let shown = Shown::new("hub.example".into());
        let answer = shown.answer("hub.example", made("hub.example"));
        assert!(shown.answer_for("hub.example").is_some());
        assert!(shown.answer_for("go.example").is_none());
        drop(answer);
        assert!(shown.answer_for("hub.example").is_none());
    }
}
