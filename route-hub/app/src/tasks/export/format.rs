//! How a file is written: CSV, one JSON array, or one JSON object in each line.

use crate::tabular::guarded;
use crate::tasks::export::columns::{Column, VARS};
use csv::{Terminator, Writer, WriterBuilder};
use hub_domain::utc_text;
use hub_view::{Fields, ObjectWriter, Resource};
use serde_json::{Map, Value};

/// The fields that are moments.
const TIMES: &[&str] = &[
    "time_created",
    "time_updated",
    "time_sent",
    "time_clicked",
    "last_message_time",
    "last_incoming_message_time",
    "last_outgoing_message_time",
];

/// How a file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    /// Comma-separated values, after a line with the names of the columns.
    Csv,
    /// An array of objects.
    Json,
    /// An object in each line.
    JsonLines,
}

impl Format {
    /// Returns the format that a file's name ends with.
    pub(super) fn of_name(filename: &str) -> Option<Self> {
        let (_, extension) = filename.rsplit_once('.')?;
        match extension.to_ascii_lowercase().as_str() {
            "csv" => Some(Self::Csv),
            "json" => Some(Self::Json),
            "jsonl" => Some(Self::JsonLines),
            _ => None,
        }
    }

    /// Returns the type of such a file, and as what it is served.
    pub(super) const fn types(self) -> (&'static str, &'static str) {
        match self {
            Self::Csv => ("text/csv", "text/csv; charset=utf-8"),
            Self::Json => ("application/json", "application/json"),
            Self::JsonLines => ("application/x-ndjson", "application/x-ndjson"),
        }
    }

    /// Returns what stands before the first row.
    pub(super) fn head(self, columns: &[Column]) -> Vec<u8> {
        match self {
            Self::Csv => {
                let mut line = line_writer(Vec::new());
                let names = columns.iter().map(Column::name);
                let _ = line.write_record(names);
                line.into_inner().unwrap_or_default()
            }
            Self::Json => b"[".to_vec(),
            Self::JsonLines => Vec::new(),
        }
    }

    /// Returns what stands behind the last row.
    pub(super) const fn tail(self) -> &'static [u8] {
        match self {
            Self::Json => b"\n]\n",
            Self::Csv | Self::JsonLines => b"",
        }
    }
}

fn line_writer(out: Vec<u8>) -> Writer<Vec<u8>> {
    WriterBuilder::new()
        .terminator(Terminator::CRLF)
        .from_writer(out)
}

/// Writes rows.
pub(super) struct RowWriter<'c> {
    columns: &'c [Column],
    /// Whether all columns are wanted: each object is then as the API shows it.
    all: bool,
    format: Format,
    is_first: bool,
    out: Vec<u8>,
}

impl<'c> RowWriter<'c> {
    /// Begins; `is_first` says whether the first row is the file's first.
    pub(super) fn new(format: Format, columns: &'c [Column], all: bool, is_first: bool) -> Self {
        Self {
            columns,
            all,
            format,
            is_first,
            out: Vec::new(),
        }
    }

    /// Writes a row.
    pub(super) fn write(&mut self, row: &impl Resource) {
        match self.format {
            Format::Csv => self.write_line(row),
            Format::Json => {
                let between: &[u8] = if self.is_first { b"\n" } else { b",\n" };
                self.out.extend_from_slice(between);
                self.write_object(row);
            }
            Format::JsonLines => {
                self.write_object(row);
                self.out.push(b'\n');
            }
        }
        self.is_first = false;
    }

    /// Returns what was written.
    pub(super) fn end(self) -> Vec<u8> {
        self.out
    }

    fn write_object(&mut self, row: &impl Resource) {
        if self.all {
            return ObjectWriter::object(&mut self.out, &Fields::ALL, row);
        }
        let mut object = Map::new();
        ObjectWriter::members(row, |name, value| match value {
            Value::Object(mut vars) if name == VARS => {
                vars.retain(|name, _| self.has_variable(name));
                if !vars.is_empty() {
                    object.insert(name.to_owned(), Value::Object(vars));
                }
            }
            value if self.place(name).is_some() => {
                object.insert(name.to_owned(), value);
            }
            _ => {}
        });
        let _ = serde_json::to_writer(&mut self.out, &object);
    }

    fn write_line(&mut self, row: &impl Resource) {
        let mut cells = vec![String::new(); self.columns.len()];
        ObjectWriter::members(row, |name, value| match value {
            Value::Object(vars) if name == VARS => {
                for (cell, column) in cells.iter_mut().zip(self.columns) {
                    if let Column::Variable(variable) = column
                        && let Some(value) = vars.get(variable)
                    {
                        *cell = text(value);
                    }
                }
            }
            value => {
                if let Some(place) = self.place(name) {
                    cells[place] = shown(name, &value);
                }
            }
        });
        let mut line = line_writer(std::mem::take(&mut self.out));
        let _ = line.write_record(&cells);
        self.out = line.into_inner().unwrap_or_default();
    }

    fn place(&self, name: &str) -> Option<usize> {
        let is_it = |column: &Column| matches!(column, Column::Field(field) if *field == name);
        self.columns.iter().position(is_it)
    }

    fn has_variable(&self, name: &str) -> bool {
        let is_it = |column: &Column| matches!(column, Column::Variable(own) if own == name);
        self.columns.iter().any(is_it)
    }
}

fn shown(name: &str, value: &Value) -> String {
    match value.as_i64().filter(|_| TIMES.contains(&name)) {
        Some(seconds) => utc_text(seconds).unwrap_or_else(|| seconds.to_string()),
        None => text(value),
    }
}

/// Writes a value into a cell. Numbers stay numbers: nothing of them is run.
fn text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => guarded(text).into_owned(),
        Value::Array(items) if items.iter().all(Value::is_string) => {
            let items: Vec<_> = items.iter().filter_map(Value::as_str).collect();
            guarded(&items.join(", ")).into_owned()
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    struct Thing;

    impl Resource for Thing {
        fn write(&self, out: &mut ObjectWriter<'_>) {
            out.put("id", "TH1");
            out.put("time_created", &1_700_000_000);
            out.put("group_ids", &["a", "b"]);
            out.put("media", &[json!({"url": "=x"})]);
            out.put(
                "vars",
                &json!({"city": "=1+1", "n": -5, "yes": true, "more": "a \"b\""}),
            );
        }
    }

    fn columns(names: &[&str]) -> Vec<Column> {
        let named = |name: &&str| match name.strip_prefix("vars.") {
            Some(name) => Column::Variable(name.to_owned()),
            None => Column::Field(match *name {
                "id" => "id",
                "time_created" => "time_created",
                "group_ids" => "group_ids",
                _ => "media",
            }),
        };
        names.iter().map(named).collect()
    }

    fn written(format: Format, columns: &[Column], all: bool) -> String {
        let mut out = format.head(columns);
        let mut writer = RowWriter::new(format, columns, all, true);
        writer.write(&Thing);
        writer.write(&Thing);
        out.extend(writer.end());
        out.extend_from_slice(format.tail());
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_line_has_the_columns_in_their_order() {
        let wanted = [
            "vars.city",
            "id",
            "vars.n",
            "time_created",
            "vars.none",
            "vars.more",
        ];
        let text = written(Format::Csv, &columns(&wanted), false);
        let line = "'=1+1,TH1,-5,2023-11-14T22:13:20Z,,\"a \"\"b\"\"\"\r\n";
        let head = "vars.city,id,vars.n,time_created,vars.none,vars.more\r\n";
        assert_eq!(text, format!("{head}{line}{line}"));
        let text = written(Format::Csv, &columns(&["group_ids", "media"]), false);
        assert!(
            text.ends_with("\"a, b\",\"[{\"\"url\"\":\"\"=x\"\"}]\"\r\n"),
            "{text}"
        );
    }

    #[test]
    fn objects_are_as_the_api_shows_them() {
        let text = written(Format::Json, &columns(&["id", "vars.n"]), false);
        let row = json!({"id": "TH1", "vars": {"n": -5}});
        assert_eq!(
            serde_json::from_str::<Value>(&text).unwrap(),
            json!([row, row])
        );
        let text = written(Format::JsonLines, &[], true);
        let rows: Vec<Value> = text
            .lines()
            .map(|it| serde_json::from_str(it).unwrap())
            .collect();
        assert_eq!(rows.len(), 2);
        assert_eq!(rows[0]["vars"]["city"], "=1+1");
        let nothing = [Format::Json.head(&[]), Format::Json.tail().to_vec()].concat();
        assert_eq!(
            serde_json::from_slice::<Value>(&nothing).unwrap(),
            json!([])
        );
    }

    #[test]
    fn the_name_tells_the_format() {
        for (name, format) in [
            ("a.csv", Some(Format::Csv)),
            ("A.JSON", Some(Format::Json)),
            ("a.b.jsonl", Some(Format::JsonLines)),
            ("a.xlsx", None),
            ("csv", None),
        ] {
            assert_eq!(Format::of_name(name), format);
        }
    }
}
