//! The names that certificates are for.

use crate::tls::acme::settings::AcmeSettings;
use rustls_pki_types::DnsName;

/// Says whether an authority on the Internet can vouch for a name: no address, and not this machine.
pub(crate) fn is_certifiable(name: &str) -> bool {
    let is_local = name == "localhost" || name.ends_with(".localhost");
    !is_local && name.contains('.') && DnsName::try_from(name).is_ok()
}

/// Returns the names that the hub needs certificates for, each once: that of its public URL first.
pub(super) fn needed(
    settings: &AcmeSettings,
    short_domains: impl Iterator<Item = String>,
) -> Vec<String> {
    let mut names = vec![settings.public.clone()];
    for name in settings.hosts.iter().cloned().chain(short_domains) {
        if is_certifiable(&name) && !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_this_machine_are_nobodys_to_vouch_for() {
        for name in ["gateway.example.org", "xn--bcher-kva.example"] {
            assert!(is_certifiable(name), "{name}");
        }
        for name in [
            "192.168.1.20",
            "::1",
            "localhost",
            "hub.localhost",
            "hub",
            "a b.example",
            "*.example.org",
            "",
        ] {
            assert!(!is_certifiable(name), "{name}");
        }
    }

    #[test]
    fn each_name_is_needed_once_and_the_public_one_first() {
        let hosts = ["b.example", "127.0.0.1", "hub.example", "localhost"];
        let settings = AcmeSettings {
            mail: "admin@hub.example".into(),
            directory: "https://ca.example/directory".into(),
            root: None,
            public: "hub.example".into(),
            hosts: hosts.map(str::to_owned).into(),
        };
        let short = ["go.example", "b.example"].map(str::to_owned);
        let names = needed(&settings, short.into_iter());
        assert_eq!(names, ["hub.example", "b.example", "go.example"]);
    }
}
