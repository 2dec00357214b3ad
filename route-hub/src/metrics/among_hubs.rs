//! Metrics of several hubs on one database, and of that database's server.

use hub_store::hints::HintsLoad;
use hub_store::{ClusterLoad, ServerLoad, Store};
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::registry::Registry;

/// Adds nothing where there is one hub on a file.
pub(super) fn register(registry: &mut Registry, store: &Store, server: Option<ServerLoad>) {
    if let Some(load) = store.cluster_load() {
        register_writes(registry, load);
    }
    if let Some(hints) = store.hints() {
        register_hints(registry, hints.load());
    }
    if let Some(server) = server {
        register_server(registry, server);
    }
}

fn counters<const N: usize>(registry: &mut Registry, all: [(&str, &str, u64); N]) {
    for (name, help, value) in all {
        registry.register(name, help, ConstCounter::new(value));
    }
}

fn gauges<const N: usize>(registry: &mut Registry, all: [(&str, &str, i64); N]) {
    for (name, help, value) in all {
        registry.register(name, help, ConstGauge::new(value));
    }
}

fn register_writes(registry: &mut Registry, load: ClusterLoad) {
    let all = [
        (
            "store_reruns",
            "Jobs that ran again because the database gave them up for another transaction",
            load.reruns,
        ),
        (
            "store_lost_commits",
            "Commits whose answer was lost and that were asked after",
            load.lost_commits,
        ),
        (
            "store_gates_waited",
            "Times that a project waited for another hub's write to it",
            load.gates_waited,
        ),
        (
            "store_moved",
            "Times that a project's writes went to a connection of their own, to wait or because one took long",
            load.moved,
        ),
        (
            "store_stale",
            "Jobs that were prepared anew, since another hub had changed what they went by",
            load.stale,
        ),
        (
            "store_takeovers",
            "Hub processes that stood still and were taken over by this one",
            load.takeovers,
        ),
        (
            "store_waits",
            "Times that writing connections waited for the database: two for each group commit, and those of its jobs",
            load.waits,
        ),
    ];
    counters(registry, all);
    registry.register(
        "store_gate_wait_seconds",
        "How long writes took to get the gates that they waited for",
        ConstCounter::new(load.gate_wait_us as f64 / 1e6),
    );
}

fn register_hints(registry: &mut Registry, hints: HintsLoad) {
    let all = [
        ("hints_sent", "Hints told to other hubs", hints.sent),
        ("hints_received", "Hints of other hubs", hints.received),
        (
            "hints_merged",
            "Hints that said the same as one that waited",
            hints.merged,
        ),
        (
            "hints_dropped",
            "Hints that found no room, or nobody to carry them",
            hints.dropped,
        ),
    ];
    counters(registry, all);
    let arrive = i64::from(!hints.is_cut);
    gauges(
        registry,
        [("hints_arrive", "1 while hints of other hubs arrive", arrive)],
    );
}

fn register_server(registry: &mut Registry, server: ServerLoad) {
    let all = [
        (
            "database_oldest_snapshot_transactions",
            "Transactions since the oldest snapshot that somebody holds in the database",
            server.oldest_snapshot_transactions,
        ),
        (
            "database_oldest_snapshot_seconds",
            "Age of the oldest such snapshot that the hub's account may see",
            server.oldest_snapshot_s,
        ),
        (
            "database_awaits_standby",
            "1 while commits wait for a synchronous standby",
            i64::from(server.awaits_standby),
        ),
        (
            "database_standbys",
            "Standbys that are connected with the database",
            server.standbys,
        ),
    ];
    gauges(registry, all);
}

#[cfg(test)]
mod tests {
    use super::*;
    use prometheus_client::encoding::text::encode;

    fn text(registry: &Registry) -> String {
        let mut text = String::new();
        encode(&mut text, registry).unwrap();
        text
    }

    fn has(text: &str, lines: &[&str]) {
        for line in lines {
            assert!(text.lines().any(|it| it == *line), "{line} in\n{text}");
        }
    }

    #[test]
    fn what_is_told_of_several_hubs_has_the_names_that_operators_watch() {
        let mut registry = Registry::with_prefix("route_hub");
        register_writes(
            &mut registry,
            ClusterLoad {
                reruns: 1,
                lost_commits: 2,
                gates_waited: 3,
                gate_wait_us: 4_500_000,
                moved: 5,
                takeovers: 6,
                waits: 8,
                stale: 7,
                clock_off_ms: 0,
            },
        );
        register_hints(
            &mut registry,
            HintsLoad {
                sent: 1,
                merged: 2,
                dropped: 3,
                received: 4,
                is_cut: true,
            },
        );
        register_server(
            &mut registry,
            ServerLoad {
                oldest_snapshot_transactions: 1_000,
                oldest_snapshot_s: 60,
                awaits_standby: true,
                standbys: 2,
            },
        );
        let lines = [
            "route_hub_store_reruns_total 1",
            "route_hub_store_lost_commits_total 2",
            "route_hub_store_gates_waited_total 3",
            "route_hub_store_gate_wait_seconds_total 4.5",
            "route_hub_store_moved_total 5",
            "route_hub_store_takeovers_total 6",
            "route_hub_store_waits_total 8",
            "route_hub_store_stale_total 7",
            "route_hub_hints_sent_total 1",
            "route_hub_hints_merged_total 2",
            "route_hub_hints_dropped_total 3",
            "route_hub_hints_received_total 4",
            "route_hub_hints_arrive 0",
            "route_hub_database_oldest_snapshot_transactions 1000",
            "route_hub_database_oldest_snapshot_seconds 60",
            "route_hub_database_awaits_standby 1",
            "route_hub_database_standbys 2",
        ];
        has(&text(&registry), &lines);
    }
}
