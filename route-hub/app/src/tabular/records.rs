//! Records of CSV, read from a part of a file.

use csv::{ByteRecord, ReaderBuilder};
use csv_core::{ReadRecordResult, Reader};

/// Most bytes of a record.
pub(crate) const RECORD_BYTES_MAX: usize = 1024 * 1024;
/// What may stand between cells, the likeliest first.
const DELIMITERS: [u8; 3] = [b',', b';', b'\t'];
/// Cells and bytes that the counter has room for at a time; it counts on where these are full.
const OUTPUT_BYTES: usize = 4 * 1024;
const ENDS: usize = 256;

/// Finds what stands between cells: what most often stands outside quotes in the first line.
pub(crate) fn delimiter_of(start: &str) -> u8 {
    let mut counts = [0_usize; DELIMITERS.len()];
    let mut is_quoted = false;
    for byte in start.bytes() {
        match byte {
            b'"' => is_quoted = !is_quoted,
            b'\r' | b'\n' if !is_quoted && counts.iter().any(|count| *count > 0) => break,
            byte if !is_quoted => {
                if let Some(place) = DELIMITERS.iter().position(|it| *it == byte) {
                    counts[place] += 1;
                }
            }
            _ => {}
        }
    }
    let most = counts.iter().max().copied().unwrap_or(0);
    let place = counts.iter().position(|count| *count == most);
    DELIMITERS[place.unwrap_or(0)]
}

/// Counts the records of a text that comes bit by bit.
pub(crate) struct Counting {
    reader: Reader,
    output: Vec<u8>,
    ends: Vec<usize>,
    records: u64,
    /// Bytes since the last record ended.
    length: usize,
}

impl Counting {
    pub(crate) fn new(delimiter: u8) -> Self {
        Self {
            reader: csv_core::ReaderBuilder::new().delimiter(delimiter).build(),
            output: vec![0; OUTPUT_BYTES],
            ends: vec![0; ENDS],
            records: 0,
            length: 0,
        }
    }

    /// Takes the next bytes; nothing at the end. Says whether no record is too long.
    pub(crate) fn feed(&mut self, mut bytes: &[u8]) -> bool {
        loop {
            let (result, read, _, _) =
                self.reader
                    .read_record(bytes, &mut self.output, &mut self.ends);
            self.length += read;
            bytes = &bytes[read..];
            match result {
                ReadRecordResult::InputEmpty | ReadRecordResult::End => {
                    return self.length <= RECORD_BYTES_MAX;
                }
                ReadRecordResult::OutputFull | ReadRecordResult::OutputEndsFull => {}
                ReadRecordResult::Record => {
                    self.records += 1;
                    if self.length > RECORD_BYTES_MAX {
                        return false;
                    }
                    self.length = 0;
                }
            }
        }
    }

    /// Returns how many records there were.
    pub(crate) fn records(&self) -> u64 {
        self.records
    }
}

/// A record, and where it stands in the part that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Record {
    /// Where it begins, in bytes.
    pub(crate) start: usize,
    /// Where it ends.
    pub(crate) end: usize,
    /// Its line in the part, from 1.
    pub(crate) line: u64,
    /// Its cells.
    pub(crate) cells: Vec<String>,
    /// What is wrong with its quotes: it may hold rows that were meant to follow.
    pub(crate) fault: Option<&'static str>,
}

/// Reads up to `most` whole records from the beginning of a part of a file. The last is whole only at the
/// end of the file.
pub(crate) fn records(part: &[u8], delimiter: u8, is_end: bool, most: usize) -> Vec<Record> {
    let mut reader = ReaderBuilder::new()
        .delimiter(delimiter)
        .has_headers(false)
        .flexible(true)
        .from_reader(part);
    let (mut found, mut record) = (Vec::new(), ByteRecord::new());
    let (mut place, mut line) = (0, 1);
    while found.len() < most && matches!(reader.read_byte_record(&mut record), Ok(true)) {
        let end = usize::try_from(reader.position().byte()).unwrap_or(part.len());
        if end >= part.len() && !is_end {
            break;
        }
        let Some(at) = record.position() else { break };
        // Empty lines before it, and what is left of the end of the line before, are not its own.
        let start = usize::try_from(at.byte()).unwrap_or(0);
        let is_between = |byte: &&u8| matches!(byte, b'\r' | b'\n');
        let start = start + part[start..].iter().take_while(is_between).count();
        line += newlines(&part[place..start]);
        place = start;
        let cells = record
            .iter()
            .map(|cell| String::from_utf8_lossy(cell).into_owned());
        found.push(Record {
            start,
            end,
            line,
            cells: cells.collect(),
            fault: fault_of(&part[start..end.min(part.len())], delimiter),
        });
    }
    found
}

/// Where a cell stands with its quotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Quotes {
    /// At its beginning.
    Begin,
    /// Without any.
    None,
    /// Between them.
    Within,
    /// Behind the last one, or the first of two that stand for one.
    Behind,
}

/// Returns what is wrong with the quotes of a record, which readers of CSV pass over.
fn fault_of(record: &[u8], delimiter: u8) -> Option<&'static str> {
    let mut quotes = Quotes::Begin;
    for byte in record {
        quotes = match (quotes, byte) {
            (Quotes::Begin | Quotes::Behind, b'"') => Quotes::Within,
            (Quotes::Within, b'"') => Quotes::Behind,
            (Quotes::Within, _) => Quotes::Within,
            (_, b'\r' | b'\n') => Quotes::Begin,
            (_, byte) if *byte == delimiter => Quotes::Begin,
            (Quotes::Behind, _) => return Some("a cell goes on behind its closing quote"),
            _ => Quotes::None,
        };
    }
    (quotes == Quotes::Within).then_some("a quote is not closed")
}

/// Counts the ends of lines.
pub(crate) fn newlines(part: &[u8]) -> u64 {
    part.iter().filter(|byte| **byte == b'\n').count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_between_cells_is_found() {
        for (start, delimiter) in [
            ("a,b;c,d\n1;2;3;4;5", b','),
            ("a;b;c\r\n1,5;2;3", b';'),
            ("\"x,y,z\"\t\"b\"\t1\n", b'\t'),
            ("alone\nalone", b','),
            ("", b','),
        ] {
            assert_eq!(delimiter_of(start), delimiter, "{start}");
        }
    }

    #[test]
    fn records_are_read_with_their_places_and_lines() {
        const TEXT: &[u8] = b"a;b\r\n\"x\n;y\";\"q\"\"\"\r\n\r\n1;2;3\nlast;";
        let read = records(TEXT, b';', true, 9);
        let cells: Vec<_> = read.iter().map(|it| it.cells.join("|")).collect();
        assert_eq!(cells, ["a|b", "x\n;y|q\"", "1|2|3", "last|"]);
        assert_eq!(
            read.iter().map(|it| it.line).collect::<Vec<_>>(),
            [1, 2, 5, 6]
        );
        for record in &read {
            let own = records(&TEXT[record.start..record.end], b';', true, 2);
            assert_eq!(own.len(), 1);
            assert_eq!(own[0].cells, record.cells);
        }
        assert_eq!(records(TEXT, b';', true, 1).len(), 1);
    }

    #[test]
    fn quotes_that_may_hide_rows_are_told() {
        let fault = |text: &str| {
            let found = records(text.as_bytes(), b',', true, 9);
            found.iter().find_map(|record| record.fault)
        };
        for sound in [
            "a,\"b\"\n",
            "\"x \"\"y\"\" z\",\"\",\"\"\"\"\r\n",
            "5 \"inches\",b",
            "\"two\nlines\",b\r\n\r\n",
        ] {
            assert_eq!(fault(sound), None, "{sound}");
        }
        let open = Some("a quote is not closed");
        assert_eq!(fault("a,\"b\nc,d\ne,f"), open);
        assert_eq!(fault("a,\"b\"\"\nc,d"), open);
        let behind = Some("a cell goes on behind its closing quote");
        assert_eq!(fault("a,\"open\nb,c\nd,\"e\"\n"), behind);
    }

    #[test]
    fn the_last_record_of_a_part_is_left_for_the_next() {
        const TEXT: &[u8] = b"a,b\n\"c\nd\",e\nf,g\n";
        for cut in 0..=TEXT.len() {
            let first = records(&TEXT[..cut], b',', cut == TEXT.len(), 9);
            let from = first.last().map_or(0, |it| it.end);
            let rest = records(&TEXT[from..], b',', true, 9);
            let all = first.into_iter().chain(rest).map(|it| it.cells);
            assert_eq!(
                all.collect::<Vec<_>>(),
                [["a", "b"], ["c\nd", "e"], ["f", "g"]]
            );
        }
    }

    #[test]
    fn records_are_counted_as_they_come() {
        let text = format!("a,b\n\"c\nd\",e\n\n{}\n", "x,".repeat(9_000));
        for piece in [1, 7, 10_000] {
            let mut counting = Counting::new(b',');
            for part in text.as_bytes().chunks(piece) {
                assert!(counting.feed(part));
            }
            assert!(counting.feed(&[]));
            assert_eq!(counting.records(), 3);
        }
        let mut endless = Counting::new(b',');
        assert!(endless.feed(b"\""));
        assert!(!endless.feed(&vec![b'x'; RECORD_BYTES_MAX + 1]));
    }
}
