//! The link's tables: its counters, facts that wait for their ack, incoming messages kept aside.

use crate::{
    JournalError,
    columns::{Columns, int, invalid},
    write::Writer,
};
use postrider_link::{
    codec,
    frame::{self, InstallId, PhoneFrame},
    session::phone::{FactRange, JournalLink, LinkChange, PhoneFact},
};
use postrider_model::{HubId, UnixMs};
use rusqlite::{Connection, OptionalExtension, params};

impl Writer<'_> {
    pub(crate) fn install_set(&self, install: &InstallId) -> Result<(), JournalError> {
        self.run(
            "INSERT INTO link (one, install) VALUES (1, ?1)
             ON CONFLICT (one) DO UPDATE SET install = excluded.install",
            params![install.as_str()],
        )
    }

    pub(crate) fn link_change(&self, change: &LinkChange, at: UnixMs) -> Result<(), JournalError> {
        match change {
            LinkChange::Conn(conn) => self.run(
                "INSERT INTO link (one, conn) VALUES (1, ?1)
                 ON CONFLICT (one) DO UPDATE SET conn = excluded.conn",
                params![int(*conn)],
            ),
            LinkChange::Down(down) => self.run(
                "INSERT INTO link (one, down) VALUES (1, ?1)
                 ON CONFLICT (one) DO UPDATE SET down = excluded.down",
                params![int(*down)],
            ),
            LinkChange::FactStored(fact) => self.fact_stored(fact),
            LinkChange::FactsAcked { up_to } => self.facts_acked(*up_to, at),
            LinkChange::HubLearned(hub) => self.run(
                "INSERT INTO link (one, hub) VALUES (1, ?1)
                 ON CONFLICT (one) DO UPDATE SET hub = excluded.hub",
                params![hub.get()],
            ),
            LinkChange::NotKnown(not_known) => self.run(
                "INSERT INTO link (one, not_known) VALUES (1, ?1)
                 ON CONFLICT (one) DO UPDATE SET not_known = excluded.not_known",
                params![not_known],
            ),
            LinkChange::Restarted {
                generation,
                sinks_by,
            } => self.restarted(*generation, *sinks_by),
        }
    }

    /// A fact that waits for its ack is no longer kept aside.
    fn fact_stored(&self, fact: &PhoneFact) -> Result<(), JournalError> {
        let n = match fact {
            PhoneFact::Inbound(inbound) => Some(int(inbound.n)),
            PhoneFact::Event(_) | PhoneFact::Health(_) => None,
        };
        if let Some(n) = n {
            self.run("DELETE FROM inbound WHERE n = ?1", params![n])?;
        }
        let s = int(fact.s());
        self.run(
            "INSERT INTO fact (s, n, frame) VALUES (?1, ?2, ?3)",
            params![s, n, text_of(fact.clone())?],
        )?;
        self.run(
            "INSERT INTO link (one, up_highest) VALUES (1, ?1)
             ON CONFLICT (one) DO UPDATE SET up_highest = excluded.up_highest",
            params![s],
        )
    }

    fn facts_acked(&self, up_to: u64, at: UnixMs) -> Result<(), JournalError> {
        let up_to = int(up_to);
        self.run(
            "INSERT OR REPLACE INTO inbound (n, frame, acked)
             SELECT n, frame, ?2 FROM fact WHERE s <= ?1 AND n IS NOT NULL",
            params![up_to, at.0],
        )?;
        self.run("DELETE FROM fact WHERE s <= ?1", params![up_to])?;
        self.run(
            "INSERT INTO link (one, up_acked) VALUES (1, ?1)
             ON CONFLICT (one) DO UPDATE SET up_acked = excluded.up_acked",
            params![up_to],
        )
    }

    /// Numbers change their sign on the way, so that no two rows ever share one.
    fn restarted(&self, generation: u64, sinks_by: u64) -> Result<(), JournalError> {
        let sinks_by = int(sinks_by);
        self.run("UPDATE fact SET s = ?1 - s", params![sinks_by])?;
        self.run("UPDATE fact SET s = -s", params![])?;
        self.run(
            "INSERT INTO link (one, generation) VALUES (1, ?1)
             ON CONFLICT (one) DO UPDATE SET generation = excluded.generation, down = 0,
                 up_acked = 0, up_highest = MAX(up_highest - ?2, 0)",
            params![int(generation), sinks_by],
        )?;
        self.run(
            "UPDATE message SET s = 0, fact = MAX(fact - ?1, 0)",
            params![sinks_by],
        )
    }
}

/// Reads the installation's name and the link's counters.
pub(crate) fn state(
    connection: &Connection,
) -> Result<(Option<InstallId>, JournalLink), JournalError> {
    let sql =
        "SELECT install, conn, generation, down, up_acked, up_highest, hub, not_known FROM link";
    let read = |row: &rusqlite::Row<'_>| Ok(columns(&mut Columns::new("link", row)));
    let found = connection.query_row(sql, [], read).optional()?;
    found.unwrap_or_else(|| Ok((None, JournalLink::new())))
}

fn columns(row: &mut Columns<'_>) -> Result<(Option<InstallId>, JournalLink), JournalError> {
    let install: Option<String> = row.take()?;
    let install = install
        .map(|install| install.parse())
        .transpose()
        .map_err(|_| invalid("link", "install"))?;
    let link = JournalLink {
        conn: row.count("conn")?,
        generation: row.count("generation")?,
        down: row.count("down")?,
        up_acked: row.count("up_acked")?,
        up_highest: row.count("up_highest")?,
        hub: hub(row.take()?)?,
        not_known: row.take()?,
    };
    Ok((install, link))
}

fn hub(stored: Option<i64>) -> Result<Option<HubId>, JournalError> {
    let read = |hub| HubId::from_i64(hub).ok_or_else(|| invalid("link", "hub"));
    stored.map(read).transpose()
}

/// Reads facts in order.
pub(crate) fn facts(
    connection: &Connection,
    range: FactRange,
) -> Result<Vec<PhoneFact>, JournalError> {
    let sql = "SELECT s, frame FROM fact WHERE s > ?1 ORDER BY s LIMIT ?2";
    let most = i64::try_from(range.count_max).unwrap_or(i64::MAX);
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query(params![int(range.above), most])?;
    let mut facts = Vec::new();
    while let Some(row) = rows.next()? {
        let mut row = Columns::new("fact", row);
        let s = row.count("s")?;
        facts.push(fact_of(&row.take::<String>()?)?.at_place(s));
    }
    Ok(facts)
}

/// Reads the incoming messages that are kept aside.
pub(crate) fn inbound(connection: &Connection) -> Result<Vec<frame::Inbound>, JournalError> {
    let mut statement = connection.prepare_cached("SELECT frame FROM inbound ORDER BY n")?;
    let mut rows = statement.query([])?;
    let mut messages = Vec::new();
    while let Some(row) = rows.next()? {
        match fact_of(&row.get::<_, String>(0)?)? {
            PhoneFact::Inbound(message) => messages.push(message),
            PhoneFact::Event(_) | PhoneFact::Health(_) => return Err(invalid("inbound", "frame")),
        }
    }
    Ok(messages)
}

fn text_of(fact: PhoneFact) -> Result<String, JournalError> {
    codec::encode(&fact.into_frame())
        .map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)).into())
}

fn fact_of(text: &str) -> Result<PhoneFact, JournalError> {
    let frame: Option<PhoneFrame> = codec::decode_phone(text.as_bytes()).ok();
    frame
        .and_then(PhoneFact::from_frame)
        .ok_or_else(|| invalid("fact", "frame"))
}
