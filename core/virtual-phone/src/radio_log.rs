//! The radio log: one line for each hand-over, written before the radio call returns.

use postrider_link::frame::{Address, Data};
use postrider_model::{MessageId, MessageText, PhoneId};
use serde::Serialize;
use std::{
    fs::{File, OpenOptions},
    io::{self, Write},
    path::Path,
    sync::Mutex,
};

/// One hand-over that the radio did not refuse with proof.
#[derive(Debug, Serialize)]
pub(crate) struct HandOver<'a> {
    /// When, in Unix milliseconds.
    pub(crate) at_ms: i64,
    /// The basic route; `null` for a slot that the hub has none for.
    pub(crate) phone_id: Option<PhoneId>,
    /// The message.
    pub(crate) message_id: MessageId,
    /// Which exposure of it.
    pub(crate) exposure: u32,
    /// The recipient.
    pub(crate) to: &'a Address,
    /// The whole text; empty if there is none.
    pub(crate) text: &'a MessageText,
    /// How many parts it was divided into.
    pub(crate) parts: u8,
    /// What it is, unless it is a text message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) kind: Option<&'static str>,
    /// The bytes of a data message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) data: Option<&'a Data>,
}

/// A file of hand-overs that several phones of a process may share.
///
/// Each line is one write to a file opened for appending: it survives the death of the process,
/// and lines of several processes on one file do not mix.
#[derive(Debug)]
pub struct RadioLog(Mutex<File>);

impl RadioLog {
    /// Opens a log for appending, or creates it.
    pub fn open(path: &Path) -> io::Result<Self> {
        let file = OpenOptions::new().create(true).append(true).open(path)?;
        Ok(Self(Mutex::new(file)))
    }

    /// Writes the line of a hand-over; on return the kernel has it.
    pub(crate) fn append(&self, line: &HandOver<'_>) -> io::Result<()> {
        append_line(&self.0, line)
    }
}

/// Appends `row` as one line of JSON with a single write.
pub(crate) fn append_line(file: &Mutex<File>, row: &impl Serialize) -> io::Result<()> {
    let mut file = file.lock().map_err(|_| io::ErrorKind::Other)?;
    write_line(&mut *file, row)
}

/// Writes `row` as one line of JSON with a single write.
pub(crate) fn write_line(to: &mut impl Write, row: &impl Serialize) -> io::Result<()> {
    let mut bytes = serde_json::to_vec(row)?;
    bytes.push(b'\n');
    to.write_all(&bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_the_promised_fields_in_their_order() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("radio.log");
        let line = HandOver {
            at_ms: 1_000,
            phone_id: "PN0000000000000001".parse().ok(),
            message_id: "SM0000000000000002".parse().unwrap(),
            exposure: 3,
            to: &Address::new("+15005550123"),
            text: &MessageText::new("come \"at\" noon\n"),
            parts: 1,
            kind: None,
            data: None,
        };
        for _ in 0..2 {
            RadioLog::open(&path).unwrap().append(&line).unwrap();
        }
        let expected = concat!(
            r#"{"at_ms":1000,"phone_id":"PN0000000000000001","message_id":"SM0000000000000002","#,
            r#""exposure":3,"to":"+15005550123","text":"come \"at\" noon\n","parts":1}"#,
            "\n"
        );
        assert_eq!(std::fs::read_to_string(&path).unwrap(), expected.repeat(2));
    }
}
