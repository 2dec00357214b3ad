//! Scans of a real database.

use super::*;
use crate::webhooks::testing::{Fixture, Here, project, row};

#[test]
fn a_project_with_many_endpoints_hides_nobody() {
    let fixture = Fixture::new();
    fixture.add_rows((0..1_000).map(|n| at(1, n, &format!("http://h{n:04}:80"))));
    fixture.add_rows([at(2, 5_000, "http://other:80")]);
    let scanned = fixture.scan(&ask());
    let found = scanned.rows.iter().filter(|found| found.row.id == 5_000);
    assert_eq!(found.count(), 1, "in the first scan");
    assert!(scanned.rows.len() <= LOOKS_PER_PROJECT + 1);
    assert!(scanned.goes_on);
}

#[test]
fn a_round_of_scans_finds_every_endpoint_once() {
    let fixture = Fixture::new();
    fixture.add_rows((0..150).map(|n| at(1, n, &format!("http://h{n:04}:80"))));
    fixture.add_rows((0..600).map(|n| at(2 + n, 1_000 + n, "http://one:80")));
    let (mut ask, mut found, mut scans) = (ask(), Vec::new(), 0);
    loop {
        let scanned = fixture.scan(&ask);
        scans += 1;
        for one in &scanned.rows {
            let lane = LaneAsk {
                room: 0,
                held: [one.row.id].into(),
            };
            ask.lanes.insert(endpoint(&one.row), lane);
        }
        found.extend(scanned.rows.iter().map(|one| one.row.id));
        ask.from = scanned.reached;
        if !scanned.goes_on {
            break;
        }
    }
    assert!(scans < 10, "{scans}");
    let each: BTreeSet<_> = found.iter().copied().collect();
    assert_eq!((found.len(), each.len()), (750, 750));
    assert_eq!(
        ask.from,
        Place::default(),
        "the next round begins at the first"
    );
}

#[test]
fn a_project_without_share_is_not_looked_at_and_goes_on_where_it_was() {
    let fixture = Fixture::new();
    fixture.add_rows((0..100).map(|n| at(1, n, &format!("http://h{n:04}:80"))));
    fixture.add_rows([at(2, 5_000, "http://other:80")]);
    let mut ask = ask();
    ask.rows = Shares::new(40);
    let first = fixture.scan(&ask);
    let of_first = first.rows.len();
    assert!(first.squeezed && !first.goes_on);
    assert!(of_first <= 21 && first.rows.iter().any(|one| one.row.id == 5_000));
    ask.from = first.reached;
    ask.rows.take(project(1), 20);
    let second = fixture.scan(&ask);
    assert!(second.squeezed && second.rows.iter().all(|one| one.row.id == 5_000));
    ask.rows = Shares::new(1_000);
    ask.from = second.reached;
    let third = fixture.scan(&ask);
    let least = third.rows.iter().map(|one| one.row.id).min();
    assert_eq!(least, Some(20), "behind the last one that was looked at");
    ask.from = third.reached;
    assert!(third.goes_on || ask.from == Place::default());
}

#[test]
fn what_has_no_rows_any_more_is_forgotten() {
    let fixture = Fixture::new();
    fixture.add_rows([at(2, 1, "http://other:80")]);
    let mut ask = ask();
    let gone = Origin {
        after: "http://gone:80".into(),
        squeezed: false,
        again: true,
    };
    let gone = [(project(1), gone.clone()), (project(3), gone)];
    ask.from.origins = gone.into();
    assert_eq!(fixture.scan(&ask).reached, Place::default());
}

#[test]
fn a_backlog_is_told_of_and_what_is_not_due_too() {
    let fixture = Fixture::new();
    fixture.add_rows((0..20).map(|n| at(1, n, "http://busy:80")));
    let mut later = at(1, 100, "http://later:80");
    later.due_at = UnixMs(77_000);
    fixture.add_rows([later]);
    let scanned = fixture.scan(&ask());
    assert_eq!(scanned.rows.len(), ROOM_FIRST);
    assert_eq!(scanned.limited.len(), 1);
    assert_eq!(scanned.next_due, Some(UnixMs(77_000)));
    assert!(!scanned.goes_on && !scanned.squeezed);
}

#[test]
fn projects_that_another_process_posts_for_are_passed_over() {
    let fixture = Fixture::new();
    fixture.add_rows((0..40).map(|n| at(1 + n, n, "http://one:80")));
    let live = BTreeSet::from([1, 2]);
    let mut found = Vec::new();
    for process in [1, 2] {
        let projects = ProjectShares::of_process(process, &live);
        let ask = ScanAsk { projects, ..ask() };
        let rows = fixture.scan(&ask).rows;
        assert!(rows.iter().all(|one| projects.has(one.row.project_id)));
        found.extend(rows.iter().map(|one| one.row.id));
    }
    found.sort_unstable();
    assert_eq!(found, (0..40).collect::<Vec<_>>());
}

fn ask() -> ScanAsk {
    ScanAsk {
        projects: ProjectShares::ALL,
        due_by: UnixMs(1_000),
        from: Place::default(),
        lanes: BTreeMap::new(),
        rows: Shares::new(4_000),
        bytes: Shares::new(1 << 24),
    }
}

fn at(n: i64, id: i64, origin: &str) -> OutboxRow {
    OutboxRow {
        project_id: project(n),
        origin: origin.to_owned(),
        ..row(id)
    }
}

fn endpoint(row: &OutboxRow) -> Endpoint {
    Endpoint {
        project_id: row.project_id,
        origin: row.origin.as_str().into(),
    }
}

impl Fixture {
    fn add_rows(&self, rows: impl IntoIterator<Item = OutboxRow>) {
        let rows: Vec<_> = rows.into_iter().collect();
        let job = move |tx: &mut Tx<'_>| rows.iter().try_for_each(|row| outbox::insert(tx, row));
        self.hub.store.write_here(job);
    }

    fn scan(&self, ask: &ScanAsk) -> Scanned {
        let ask = ask.clone();
        self.hub.store.read_here(move |tx| scan(tx, &ask))
    }
}
