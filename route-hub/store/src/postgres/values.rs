//! Values and columns on their way to and from the server, in its binary form.

use crate::row::Columns;
use crate::{StoreError, Value};
use bytes::{BufMut as _, Bytes, BytesMut};
use std::error::Error;
use tokio_postgres::Row;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};

/// A parameter in the server's binary form, for the type that the server gave it.
#[derive(Debug)]
pub(crate) struct Encoded(Option<Bytes>);

/// Why a value does not fit the type that the server inferred: a mistake in the statement.
#[derive(Debug, thiserror::Error)]
#[error("a value does not fit the parameter's type {0}")]
pub(crate) struct Unfit(Type);

/// Encodes the values of one statement, all in one piece of memory.
pub(crate) fn encode(values: &[Value<'_>], types: &[Type]) -> Result<Vec<Encoded>, Unfit> {
    debug_assert_eq!(types.len(), values.len(), "values bound");
    let mut bytes = BytesMut::with_capacity(values.len() * 16);
    let mut encoded = Vec::with_capacity(values.len());
    for (value, kind) in values.iter().zip(types) {
        let bound = encode_one(value, kind, &mut bytes)?;
        encoded.push(Encoded(bound.then(|| bytes.split().freeze())));
    }
    Ok(encoded)
}

/// Appends a value; `false` for NULL.
fn encode_one(value: &Value<'_>, kind: &Type, bytes: &mut BytesMut) -> Result<bool, Unfit> {
    let unfit = || Unfit(kind.clone());
    match (value, kind) {
        (Value::Null, _) => return Ok(false),
        (Value::Int(int), &Type::INT8) => bytes.put_i64(*int),
        (Value::Int(int), &Type::INT4) => bytes.put_i32(i32::try_from(*int).map_err(|_| unfit())?),
        (Value::Int(int), &Type::INT2) => bytes.put_i16(i16::try_from(*int).map_err(|_| unfit())?),
        #[expect(clippy::cast_precision_loss, reason = "counts stay below 2^53")]
        (Value::Int(int), &Type::FLOAT8) => bytes.put_f64(*int as f64),
        (Value::Real(real), &Type::FLOAT8) => bytes.put_f64(*real),
        (Value::Text(text), &Type::TEXT | &Type::VARCHAR | &Type::UNKNOWN) => {
            bytes.put_slice(text.as_bytes());
        }
        (Value::Blob(blob), &Type::BYTEA) => bytes.put_slice(blob),
        _ => return Err(unfit()),
    }
    Ok(true)
}

impl ToSql for Encoded {
    fn to_sql(&self, _: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        let Some(bytes) = &self.0 else {
            return Ok(IsNull::Yes);
        };
        out.put_slice(bytes);
        Ok(IsNull::No)
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

/// A column's bytes, if its type is one of those that we read this way.
struct Raw<'a, const KIND: u8>(&'a [u8], Type);

const INT: u8 = 0;
const REAL: u8 = 1;
const TEXT: u8 = 2;
const BLOB: u8 = 3;
const BYTES: u8 = 4;

impl<'a, const KIND: u8> FromSql<'a> for Raw<'a, KIND> {
    fn from_sql(kind: &Type, raw: &'a [u8]) -> Result<Self, Box<dyn Error + Sync + Send>> {
        Ok(Self(raw, kind.clone()))
    }

    fn accepts(kind: &Type) -> bool {
        let is_text = matches!(*kind, Type::TEXT | Type::VARCHAR | Type::NAME);
        match KIND {
            INT => matches!(*kind, Type::INT8 | Type::INT4 | Type::INT2),
            REAL => *kind == Type::FLOAT8,
            TEXT => is_text,
            BLOB => *kind == Type::BYTEA,
            _ => is_text || *kind == Type::BYTEA,
        }
    }
}

fn raw<const KIND: u8>(row: &Row, column: usize) -> Result<Option<Raw<'_, KIND>>, StoreError> {
    let read = row.try_get::<_, Option<Raw<'_, KIND>>>(column);
    read.map_err(|_| StoreError::BadRow { column })
}

impl Columns for Row {
    fn int(&self, column: usize) -> Result<Option<i64>, StoreError> {
        let Some(Raw(bytes, kind)) = raw::<INT>(self, column)? else {
            return Ok(None);
        };
        let int = match kind {
            Type::INT8 => bytes.try_into().map(i64::from_be_bytes).ok(),
            Type::INT4 => bytes.try_into().map(i32::from_be_bytes).map(i64::from).ok(),
            _ => bytes.try_into().map(i16::from_be_bytes).map(i64::from).ok(),
        };
        int.ok_or(StoreError::BadRow { column }).map(Some)
    }

    fn real(&self, column: usize) -> Result<Option<f64>, StoreError> {
        let Some(Raw(bytes, _)) = raw::<REAL>(self, column)? else {
            return Ok(None);
        };
        let real = bytes.try_into().map(f64::from_be_bytes);
        real.map_err(|_| StoreError::BadRow { column }).map(Some)
    }

    fn text(&self, column: usize) -> Result<Option<&str>, StoreError> {
        let bytes = raw::<TEXT>(self, column)?;
        let text = bytes.map(|Raw(bytes, _)| std::str::from_utf8(bytes));
        text.transpose().map_err(|_| StoreError::BadRow { column })
    }

    fn blob(&self, column: usize) -> Result<Option<&[u8]>, StoreError> {
        Ok(raw::<BLOB>(self, column)?.map(|Raw(bytes, _)| bytes))
    }

    fn bytes(&self, column: usize) -> Result<&[u8], StoreError> {
        let bytes = raw::<BYTES>(self, column)?;
        bytes
            .map(|Raw(bytes, _)| bytes)
            .ok_or(StoreError::BadRow { column })
    }
}
