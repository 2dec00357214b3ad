package org.postrider.agent.radio

import android.content.ContentResolver
import android.database.Cursor
import android.net.Uri
import org.postrider.core.ScanMark

/** Which rows of a provider are asked for, and in which order. */
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
 * Reads at most so many rows.
 *
 * The bound is kept here and not by a LIMIT, which some providers refuse; a cursor fetches only what is looked at.
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

/** The rows of a log after a mark, in the order of their dates and numbers; `unit` is of the provider's dates. */
internal class After(mark: ScanMark, private val date: String, unit: Long = 1) {
    private val at = Math.floorDiv(mark.date, unit)

    /** A mark between two dates of the provider has all rows of the earlier one behind it. */
    private val row = if (Math.floorMod(mark.date, unit) == 0L) mark.row else Long.MAX_VALUE

    val where get() = "(" + date + " > ? OR (" + date + " = ? AND _id > ?))"
    val arguments: List<Any> get() = listOf(at, at, row)
    val order get() = date + " ASC, _id ASC"
}

/** Says that a provider is not there. */
internal class NoAnswer : RuntimeException()

internal fun Cursor.long(at: Int): Long? = if (isNull(at)) null else getLong(at)

internal fun Cursor.text(at: Int): String = when (getType(at)) {
    // Of bytes that somebody stored as a text the platform makes none.
    Cursor.FIELD_TYPE_NULL, Cursor.FIELD_TYPE_BLOB -> ""
    else -> getString(at)
}
