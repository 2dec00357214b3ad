//! The whole journal as the machine's snapshot.

use crate::{
    JournalError,
    columns::{Columns, int, invalid},
    link,
};
use postrider_link::{
    frame::{Address, Bytes, Config, Data, Kind},
    proof::Proof,
};
use postrider_machine::{
    ENDED_MAX, EndedAsked, Fingerprint, MessageRef, ScanMark, Snapshot,
    change::{
        CallLength, ClaimRow, EndedRow, MessageRow, PaceRow, Progress, ScanRow, SeenRow, SimRow,
        SpentRow,
    },
};
use postrider_model::{MessageId, MessageText};
use rusqlite::{Connection, OptionalExtension, Rows, params};

/// Reads everything that a start needs.
pub(crate) fn snapshot(connection: &Connection) -> Result<Snapshot, JournalError> {
    let one = "SELECT COALESCE(MAX(arrived), 0) FROM message";
    let arrived_max: i64 = connection.query_row(one, [], |row| row.get(0))?;
    let owner = connection
        .query_row("SELECT paused, ussd_codes FROM owner", [], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
        .optional()?;
    let (paused, ussd_codes_allowed) = owner.unwrap_or((false, false));
    let mut ended: Vec<EndedRow> = all(connection, "message", ENDED, ended_row)?;
    ended.reverse();
    let (install, link) = link::state(connection)?;
    Ok(Snapshot {
        install,
        link,
        messages: all(connection, "message", OPEN, message_row)?,
        ended,
        arrived_max: arrived_max.unsigned_abs(),
        spent: all(connection, "spent", SPENT, spent_row)?,
        pace: all(connection, "pace", PACE, pace_row)?.pop(),
        seen: all(connection, "seen", SEEN, seen_row)?,
        claims: all(connection, "claim", CLAIMS, claim_row)?,
        scans: all(connection, "scan", SCANS, scan_row)?,
        sims: all(connection, "sim", SIMS, sim_row)?,
        ussd_codes_allowed,
        configs: all(connection, "config", CONFIGS, config)?,
        paused,
    })
}

macro_rules! select_message {
    ($from:literal) => {
        concat!(
            "SELECT arrived, id, ep, s, sim, recipient, text, parts_expected, report, priority,
                 movable, ttl_ms, received_boot, received_mono, received_wall, state, attempt,
                 tries, submitted_boot, submitted_mono, submitted_wall, retry_boot, retry_mono,
                 retry_wall, retry_delay_ms, spent, parts, code, partial, unsent,
                 call_duration_s, call_ring_s, fact, kind, data_port, data, proof FROM message ",
            $from
        )
    };
}

const OPEN: &str =
    select_message!("INDEXED BY message_open WHERE ended IS NULL AND ?1 > 0 ORDER BY arrived");
const ONE: &str = select_message!("WHERE id = ?1 AND ep = ?2 AND ended IS NOT NULL");
const ENDED: &str = "SELECT id, ep, state, partial, unsent, s, fact, ended, proof
     FROM message WHERE ended IS NOT NULL ORDER BY ended DESC, arrived DESC LIMIT ?1";
const SPENT: &str = "SELECT no, sim, parts, guard_parts, at_boot, at_mono, at_wall
     FROM spent WHERE ?1 > 0 ORDER BY no";
const PACE: &str = "SELECT halvings, since_boot, since_mono, since_wall FROM pace WHERE ?1 > 0";
const SEEN: &str = "SELECT no, fingerprint, provider_row, at_wall, source, dated_wall
     FROM seen WHERE ?1 > 0 ORDER BY no";
const SCANS: &str = "SELECT log, mark_wall, mark_row, floor_wall FROM scan WHERE ?1 > 0
     ORDER BY log";
const SIMS: &str = "SELECT slot, known, other FROM sim WHERE ?1 > 0 ORDER BY slot";
const CLAIMS: &str = "SELECT row, at_wall FROM claim WHERE ?1 > 0 ORDER BY at_wall, row";
const CONFIGS: &str = "SELECT frame FROM config WHERE ?1 > 0 ORDER BY sim";

/// Reads every row of a query; `?1` limits long lists.
fn all<T>(
    connection: &Connection,
    table: &'static str,
    sql: &str,
    read: fn(&mut Columns<'_>) -> Result<T, JournalError>,
) -> Result<Vec<T>, JournalError> {
    let mut statement = connection.prepare(sql)?;
    let most = i64::try_from(ENDED_MAX).unwrap_or(i64::MAX);
    let mut rows = statement.query(params![most])?;
    let mut list = Vec::new();
    while let Some(row) = rows.next()? {
        list.push(read(&mut Columns::new(table, row))?);
    }
    Ok(list)
}

/// Reads an exposure that is over, as `LoadMessage` asks.
pub(crate) fn message_over(
    connection: &Connection,
    message: MessageRef,
) -> Result<Option<MessageRow>, JournalError> {
    let mut statement = connection.prepare_cached(ONE)?;
    let mut rows = statement.query(params![message.id.get(), message.ep])?;
    let row = rows.next()?;
    row.map(|row| message_row(&mut Columns::new("message", row)))
        .transpose()
}

fn message_row(row: &mut Columns<'_>) -> Result<MessageRow, JournalError> {
    Ok(MessageRow {
        arrived: row.count("arrived")?,
        message: message(row)?,
        s: row.count("s")?,
        sim: row.sim()?,
        to: Address::new(row.take::<String>()?),
        text: row.take::<Option<String>>()?.map(MessageText::from),
        parts: row.count("parts_expected")?,
        report: row.take()?,
        priority: row.take()?,
        movable: row.take()?,
        ttl_ms: row.count("ttl_ms")?,
        received: row.stamp("received")?,
        progress: progress(row)?,
        kind: kind(&row.take::<String>()?),
        data: data(row)?,
        proof: proof(row)?,
    })
}

fn kind(name: &str) -> Kind {
    match name {
        "sms" => Kind::Sms,
        "data_sms" => Kind::DataSms,
        "mms" => Kind::Mms,
        "ussd" => Kind::Ussd,
        "call" => Kind::Call,
        other => Kind::Other(other.to_owned()),
    }
}

fn data(row: &mut Columns<'_>) -> Result<Option<Data>, JournalError> {
    let port: Option<i64> = row.take()?;
    let bytes: Option<Vec<u8>> = row.take()?;
    match (port.map(u16::try_from), bytes) {
        (None, None) => Ok(None),
        (Some(Ok(port)), Some(bytes)) => Ok(Some(Data {
            port,
            base64: Bytes(bytes),
        })),
        _ => Err(invalid(row.table(), "data")),
    }
}

fn call_length(row: &mut Columns<'_>) -> Result<Option<CallLength>, JournalError> {
    let duration_s: Option<i64> = row.take()?;
    let ring_s: Option<i64> = row.take()?;
    match (duration_s, ring_s) {
        (None, None) => Ok(None),
        (Some(duration_s), Some(ring_s)) => Ok(Some(CallLength { duration_s, ring_s })),
        _ => Err(invalid(row.table(), "call_ring_s")),
    }
}

fn progress(row: &mut Columns<'_>) -> Result<Progress, JournalError> {
    let table = row.table();
    Ok(Progress {
        state: parsed(row, "state")?,
        attempt: row.count("attempt")?,
        tries: row.count("tries")?,
        submitted: row.maybe_stamp("submitted")?,
        retry: {
            let since = row.maybe_stamp("retry")?;
            let delay_ms: Option<i64> = row.take()?;
            match (since, delay_ms.map(u64::try_from)) {
                (Some(since), Some(Ok(delay_ms))) => Some((since, delay_ms)),
                (None, None) => None,
                _ => return Err(invalid(table, "retry")),
            }
        },
        spent: row.take::<Option<i64>>()?.map(i64::unsigned_abs),
        parts: parsed(row, "parts")?,
        code: row.take()?,
        partial: row.take()?,
        unsent: row.take()?,
        call: call_length(row)?,
        fact: row.count("fact")?,
        ended: None,
    })
}

/// Reads ended exposures, as `LoadEnded` asks.
pub(crate) fn ended(
    connection: &Connection,
    asked: &EndedAsked,
) -> Result<Vec<EndedRow>, JournalError> {
    let mut list = Vec::new();
    match asked {
        EndedAsked::Of(ids) => {
            let mut statement = connection.prepare_cached(ENDED_OF)?;
            for id in ids {
                collect(statement.query(params![id.get()])?, &mut list)?;
            }
        }
        EndedAsked::Above { down, up } => {
            let mut statement = connection.prepare_cached(ENDED_ABOVE)?;
            collect(statement.query(params![int(*down), int(*up)])?, &mut list)?;
        }
    }
    Ok(list)
}

const ENDED_OF: &str = "SELECT id, ep, state, partial, unsent, s, fact, ended, proof
     FROM message WHERE id = ?1 AND ended IS NOT NULL";
const ENDED_ABOVE: &str = "SELECT id, ep, state, partial, unsent, s, fact, ended, proof
     FROM message WHERE ended IS NOT NULL AND (s = 0 OR s > ?1 OR fact > ?2)";

fn collect(mut rows: Rows<'_>, list: &mut Vec<EndedRow>) -> Result<(), JournalError> {
    while let Some(row) = rows.next()? {
        list.push(ended_row(&mut Columns::new("message", row))?);
    }
    Ok(())
}

fn ended_row(row: &mut Columns<'_>) -> Result<EndedRow, JournalError> {
    Ok(EndedRow {
        message: message(row)?,
        state: parsed(row, "state")?,
        partial: row.take()?,
        unsent: row.take()?,
        s: row.count("s")?,
        fact: row.count("fact")?,
        at: row.unix()?,
        proof: proof(row)?,
    })
}

fn proof(row: &mut Columns<'_>) -> Result<Option<Proof>, JournalError> {
    let kept: Option<Vec<u8>> = row.take()?;
    let proof = kept.map(|bytes| bytes.try_into().map(Proof)).transpose();
    proof.map_err(|_| invalid(row.table(), "proof"))
}

fn message(row: &mut Columns<'_>) -> Result<MessageRef, JournalError> {
    let id = MessageId::from_i64(row.take()?).ok_or_else(|| invalid(row.table(), "id"))?;
    let ep = row.count("ep")?;
    Ok(MessageRef { id, ep })
}

fn parsed<T: std::str::FromStr>(
    row: &mut Columns<'_>,
    column: &'static str,
) -> Result<T, JournalError> {
    let text: String = row.take()?;
    text.parse().map_err(|_| invalid(row.table(), column))
}

fn spent_row(row: &mut Columns<'_>) -> Result<SpentRow, JournalError> {
    Ok(SpentRow {
        no: row.count("no")?,
        sim: row.sim()?,
        parts: row.count("parts")?,
        guard_parts: row.count("guard_parts")?,
        at: row.stamp("at")?,
    })
}

fn pace_row(row: &mut Columns<'_>) -> Result<PaceRow, JournalError> {
    Ok(PaceRow {
        halvings: row.count("halvings")?,
        since: row.stamp("since")?,
    })
}

fn seen_row(row: &mut Columns<'_>) -> Result<SeenRow, JournalError> {
    Ok(SeenRow {
        no: row.count("no")?,
        fingerprint: Fingerprint(u128::from_be_bytes(row.take()?)),
        provider_row: row.take()?,
        at: row.unix()?,
        source: parsed(row, "source")?,
        dated: row.unix()?,
    })
}

fn scan_row(row: &mut Columns<'_>) -> Result<ScanRow, JournalError> {
    Ok(ScanRow {
        log: parsed(row, "log")?,
        mark: ScanMark {
            date: row.unix()?,
            row: row.take()?,
        },
        floor: row.unix()?,
    })
}

fn sim_row(row: &mut Columns<'_>) -> Result<SimRow, JournalError> {
    Ok(SimRow {
        slot: row.sim()?,
        known: row.take()?,
        other: row.take()?,
    })
}

fn claim_row(row: &mut Columns<'_>) -> Result<ClaimRow, JournalError> {
    Ok(ClaimRow {
        row: row.take()?,
        at: row.unix()?,
    })
}

fn config(row: &mut Columns<'_>) -> Result<Config, JournalError> {
    let frame: String = row.take()?;
    serde_json::from_str(&frame).map_err(|_| invalid(row.table(), "frame"))
}
