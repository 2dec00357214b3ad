//! What memory this process holds, as Linux tells it; elsewhere nothing is told.

use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::registry::Registry;

/// The metrics, without the hub's prefix, as other programs name them: name, explanation, and the line of `/proc/self/status`.
const ALL: [(&str, &str, &str); 2] = [
    (
        "process_resident_memory_bytes",
        "Resident memory in all, mapped pages of the database among it",
        "VmRSS:",
    ),
    (
        "process_resident_anonymous_bytes",
        "Resident memory of the process's own: no file stands behind it",
        "RssAnon:",
    ),
];

/// Adds what is known of this process.
pub(super) fn register(registry: &mut Registry) {
    let status = std::fs::read_to_string("/proc/self/status");
    register_from(registry, &status.unwrap_or_default());
}

fn register_from(registry: &mut Registry, status: &str) {
    for (name, help, line) in ALL {
        if let Some(bytes) = bytes(status, line) {
            registry.register(name, help, ConstGauge::new(bytes));
        }
    }
}

fn bytes(status: &str, name: &str) -> Option<i64> {
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    let kib: i64 = line.strip_suffix("kB")?.trim().parse().ok()?;
    kib.checked_mul(1_024)
}

#[cfg(test)]
mod tests {
    use super::*;
    use prometheus_client::encoding::text::encode;

    fn exported(status: &str) -> Vec<String> {
        let mut registry = Registry::default();
        register_from(&mut registry, status);
        let mut text = String::new();
        encode(&mut text, &registry).unwrap();
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        lines.map(str::to_owned).collect()
    }

    #[test]
    fn both_numbers_are_told_in_bytes() {
        let status = "Name:\troute-hub\nVmHWM:\t  99999 kB\nVmRSS:\t  120000 kB\n\
                      RssAnon:\t   70000 kB\nRssFile:\t   50000 kB\n";
        let expected = [
            "process_resident_memory_bytes 122880000",
            "process_resident_anonymous_bytes 71680000",
        ];
        assert_eq!(exported(status), expected);
    }

    #[test]
    fn what_the_system_does_not_tell_is_left_out() {
        assert!(exported("").is_empty());
        assert!(exported("Name:\troute-hub\nVmRSS:\tmany kB\n").is_empty());
        let expected = ["process_resident_memory_bytes 1024"];
        assert_eq!(exported("VmRSS:\t1 kB\n"), expected);
    }
}
