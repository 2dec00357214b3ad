package org.postrider.agent.radio

import android.content.ContentResolver
import android.database.Cursor
import android.net.Uri
import org.postrider.core.ScanMark

/** Which rows of a provider to read, and in which order. */
internal class Query(
    val uri: Uri,
    val columns: List<String>,
    val where: String? = null,
    val arguments: List<Any> = emptyList(),
    val order: String? = null,
)

/** Rows of a log, and whether there are no more after them. */
internal class Page<Row>(val rows: List<Row>, val isComplete: Boolean)

/**
 * Reads at most this many rows.
 *
 * The bound is not a LIMIT, which some providers refuse; a cursor fetches only the rows that are read.
 */
internal fun <Row> ContentResolver.read(query: Query, rowsMax: Int, row: (Cursor) -> Row): Page<Row> {
    val columns = query.columns.toTypedArray()
    val arguments = query.arguments.map(Any::toString).toTypedArray()
    val cursor = query(query.uri, columns, query.where, arguments, query.order) ?: throw NoAnswer()
    return cursor.use {
        val rows = ArrayList<Row>()
        while (rows.size < rowsMax && it.moveToNext()) rows.add(row(it))
        Page(rows, isComplete = rows.size < rowsMax || !it.moveToNext())
    }
}

/** The rows of a log after a mark, by date and number; `unit` is the unit of the provider's dates. */
internal class After(mark: ScanMark, private val date: String, unit: Long = 1) {
    private val at = Math.floorDiv(mark.date, unit)

    /** A mark between two dates of the provider has all rows of the earlier one behind it. */
    private val row = if (Math.floorMod(mark.date, unit) == 0L) mark.row else Long.MAX_VALUE

    val where get() = "(" + date + " > ? OR (" + date + " = ? AND _id > ?))"
    val arguments: List<Any> get() = listOf(at, at, row)
    val order get() = date + " ASC, _id ASC"
}

/** The provider does not answer. */
internal class NoAnswer : RuntimeException()

internal fun Cursor.long(at: Int): Long? = if (isNull(at)) null else getLong(at)

internal fun Cursor.text(at: Int): String = when (getType(at)) {
    // Some apps store bytes as a text; they count as empty.
    Cursor.FIELD_TYPE_NULL, Cursor.FIELD_TYPE_BLOB -> ""
    else -> getString(at)
}
