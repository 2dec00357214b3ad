//! Rows that statements give.

use crate::StoreError;
use postrider_model::{Id, Key, UnixMs};

/// The columns of one row, as an engine reads them.
pub(crate) trait Columns {
    fn int(&self, column: usize) -> Result<Option<i64>, StoreError>;
    fn real(&self, column: usize) -> Result<Option<f64>, StoreError>;
    fn text(&self, column: usize) -> Result<Option<&str>, StoreError>;
    fn blob(&self, column: usize) -> Result<Option<&[u8]>, StoreError>;
    /// Returns a text or bytes, as they are stored.
    fn bytes(&self, column: usize) -> Result<&[u8], StoreError>;
}

/// One row of a result; columns count from 0 in the order of the statement.
///
/// Each reading fails with [`StoreError::BadRow`] when the column holds something else.
pub struct Row<'r> {
    columns: &'r dyn Columns,
}

impl<'r> Row<'r> {
    pub(crate) fn new(columns: &'r dyn Columns) -> Self {
        Self { columns }
    }

    /// Returns an integer.
    ///
    /// # Errors
    /// [`StoreError::BadRow`].
    pub fn int(&self, column: usize) -> Result<i64, StoreError> {
        self.columns
            .int(column)?
            .ok_or(StoreError::BadRow { column })
    }

    /// Returns an integer or NULL.
    ///
    /// # Errors
    /// [`StoreError::BadRow`].
    pub fn opt_int(&self, column: usize) -> Result<Option<i64>, StoreError> {
        self.columns.int(column)
    }

    /// Returns a number with a fraction.
    ///
    /// # Errors
    /// [`StoreError::BadRow`].
    pub fn real(&self, column: usize) -> Result<f64, StoreError> {
        self.columns
            .real(column)?
            .ok_or(StoreError::BadRow { column })
    }

    /// Returns a number with a fraction, or NULL.
    ///
    /// # Errors
    /// [`StoreError::BadRow`].
    pub(crate) fn opt_real(&self, column: usize) -> Result<Option<f64>, StoreError> {
        self.columns.real(column)
    }

    /// Returns a truth value.
    ///
    /// # Errors
    /// [`StoreError::BadRow`].
    pub fn flag(&self, column: usize) -> Result<bool, StoreError> {
        self.int(column).map(|value| value != 0)
    }

    /// Returns a text.
    ///
    /// # Errors
    /// [`StoreError::BadRow`].
    pub fn text(&self, column: usize) -> Result<String, StoreError> {
        self.text_ref(column).map(str::to_owned)
    }

    /// Returns a text or NULL.
    ///
    /// # Errors
    /// [`StoreError::BadRow`].
    pub(crate) fn opt_text(&self, column: usize) -> Result<Option<String>, StoreError> {
        Ok(self.columns.text(column)?.map(str::to_owned))
    }

    /// Returns a text that lives as long as the row.
    ///
    /// # Errors
    /// [`StoreError::BadRow`].
    pub(crate) fn text_ref(&self, column: usize) -> Result<&str, StoreError> {
        self.columns
            .text(column)?
            .ok_or(StoreError::BadRow { column })
    }

    /// Returns a text that lives as long as the row, or NULL.
    ///
    /// # Errors
    /// [`StoreError::BadRow`].
    pub(crate) fn opt_text_ref(&self, column: usize) -> Result<Option<&str>, StoreError> {
        self.columns.text(column)
    }

    /// Returns bytes.
    ///
    /// # Errors
    /// [`StoreError::BadRow`].
    pub fn blob(&self, column: usize) -> Result<Vec<u8>, StoreError> {
        let bytes = self.columns.blob(column)?;
        Ok(bytes.ok_or(StoreError::BadRow { column })?.to_vec())
    }

    /// Returns a text or bytes as they are stored, whether or not the text is one.
    ///
    /// # Errors
    /// [`StoreError::BadRow`].
    pub fn bytes(&self, column: usize) -> Result<Vec<u8>, StoreError> {
        self.columns.bytes(column).map(<[u8]>::to_vec)
    }

    /// Returns an id.
    ///
    /// # Errors
    /// [`StoreError::BadRow`].
    pub fn id<K>(&self, column: usize) -> Result<Id<K>, StoreError> {
        let key = Key::new(self.int(column)?).ok_or(StoreError::BadRow { column })?;
        Ok(Id::new(key))
    }

    /// Returns an id or NULL.
    ///
    /// # Errors
    /// [`StoreError::BadRow`].
    pub(crate) fn opt_id<K>(&self, column: usize) -> Result<Option<Id<K>>, StoreError> {
        let Some(value) = self.columns.int(column)? else {
            return Ok(None);
        };
        let key = Key::new(value).ok_or(StoreError::BadRow { column })?;
        Ok(Some(Id::new(key)))
    }

    /// Returns a moment.
    ///
    /// # Errors
    /// [`StoreError::BadRow`].
    pub fn time(&self, column: usize) -> Result<UnixMs, StoreError> {
        self.int(column).map(UnixMs)
    }
}

/// Reads a row's columns one after the other, so that no column's number is ever written down.
pub(crate) struct Cursor<'r> {
    row: &'r Row<'r>,
    next: usize,
}

impl<'r> Cursor<'r> {
    pub(crate) fn new(row: &'r Row<'r>) -> Self {
        Self { row, next: 0 }
    }

    fn step(&mut self) -> usize {
        let column = self.next;
        self.next += 1;
        column
    }

    pub(crate) fn int(&mut self) -> Result<i64, StoreError> {
        let column = self.step();
        self.row.int(column)
    }

    pub(crate) fn opt_int(&mut self) -> Result<Option<i64>, StoreError> {
        let column = self.step();
        self.row.opt_int(column)
    }

    /// Reads an integer into a narrower or unsigned type.
    pub(crate) fn count<T: TryFrom<i64>>(&mut self) -> Result<T, StoreError> {
        let column = self.step();
        T::try_from(self.row.int(column)?).map_err(|_| StoreError::BadRow { column })
    }

    /// Reads an integer or NULL into a narrower or unsigned type.
    pub(crate) fn opt_count<T: TryFrom<i64>>(&mut self) -> Result<Option<T>, StoreError> {
        let column = self.step();
        let value = self.row.opt_int(column)?.map(T::try_from).transpose();
        value.map_err(|_| StoreError::BadRow { column })
    }

    pub(crate) fn flag(&mut self) -> Result<bool, StoreError> {
        let column = self.step();
        self.row.flag(column)
    }

    pub(crate) fn opt_flag(&mut self) -> Result<Option<bool>, StoreError> {
        Ok(self.opt_int()?.map(|value| value != 0))
    }

    pub(crate) fn text(&mut self) -> Result<String, StoreError> {
        let column = self.step();
        self.row.text(column)
    }

    pub(crate) fn opt_text(&mut self) -> Result<Option<String>, StoreError> {
        let column = self.step();
        self.row.opt_text(column)
    }

    pub(crate) fn id<K>(&mut self) -> Result<Id<K>, StoreError> {
        let column = self.step();
        self.row.id(column)
    }

    pub(crate) fn opt_id<K>(&mut self) -> Result<Option<Id<K>>, StoreError> {
        let column = self.step();
        self.row.opt_id(column)
    }

    pub(crate) fn time(&mut self) -> Result<UnixMs, StoreError> {
        self.int().map(UnixMs)
    }

    pub(crate) fn opt_time(&mut self) -> Result<Option<UnixMs>, StoreError> {
        Ok(self.opt_int()?.map(UnixMs))
    }

    /// Reads a text through a parser.
    pub(crate) fn parsed<T>(
        &mut self,
        parse: impl FnOnce(&str) -> Option<T>,
    ) -> Result<T, StoreError> {
        let column = self.step();
        parse(self.row.text_ref(column)?).ok_or(StoreError::BadRow { column })
    }

    /// Reads a text or NULL through a parser.
    pub(crate) fn opt_parsed<T>(
        &mut self,
        parse: impl FnOnce(&str) -> Option<T>,
    ) -> Result<Option<T>, StoreError> {
        let column = self.step();
        match self.row.opt_text_ref(column)? {
            Some(text) => parse(text).map(Some).ok_or(StoreError::BadRow { column }),
            None => Ok(None),
        }
    }

    /// Reads an integer through a table of codes.
    pub(crate) fn coded<T>(
        &mut self,
        decode: impl FnOnce(i64) -> Option<T>,
    ) -> Result<T, StoreError> {
        let column = self.step();
        decode(self.row.int(column)?).ok_or(StoreError::BadRow { column })
    }

    /// Reads an integer or NULL through a table of codes.
    pub(crate) fn opt_coded<T>(
        &mut self,
        decode: impl FnOnce(i64) -> Option<T>,
    ) -> Result<Option<T>, StoreError> {
        let column = self.step();
        match self.row.opt_int(column)? {
            Some(code) => decode(code).map(Some).ok_or(StoreError::BadRow { column }),
            None => Ok(None),
        }
    }
}
