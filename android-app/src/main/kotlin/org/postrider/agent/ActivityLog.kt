package org.postrider.agent

import android.content.Context
import java.io.File
import java.io.IOException
import java.util.Calendar

/** What happened, in words that never hold a number or a text. */
enum class What {
    STARTED, STOPPED_BY_OWNER, STOPPED_IN_ANDROID, FAILED_TO_RUN, PAIRED, UNPAIRED,
    LINK_UP, LINK_DOWN, LINK_FAILING, LINK_REPLACED, NOT_KNOWN, PAIRING_NEEDED, UPDATE_NEEDED,
    ACCEPTED, SUBMITTED, RETRYING, SENT, FAILED, DELIVERED, NOT_DELIVERED, UNKNOWN, REVOKED, CANCELLED, EXPIRED,
    TEST_SUBMITTED, TEST_SENT, TEST_FAILED, TEST_DELIVERED, TEST_NOT_DELIVERED, TEST_UNKNOWN,
    SMS_RECEIVED, DATA_RECEIVED, MMS_RECEIVED, USSD_ANSWERED, CALL_SEEN,
    SIM_CHANGED, SIM_CONFIRMED, SIM_HELD, SIM_RELEASED, LOOK_AT_PHONE, PACE_HALVED, REPORT_MISMATCHED, STRAY_RESULT,
}

/** One line of the log: [message] is an id, [code] a result code. */
data class Entry(val atMs: Long, val what: What, val message: String?, val sim: Int?, val code: Int?)

/**
 * The last events and the counts of the day, on disk: times, ids and words only.
 *
 * Lines are added to a file; when it is twice as long as what is kept, it is written anew with the counts of the
 * day before the next line. A line that was cut off by a crash is left out.
 */
class ActivityLog(context: Context, private val now: () -> Long = System::currentTimeMillis) {
    private val file = File(context.noBackupFilesDir, "activity")
    private val kept = ArrayDeque<Entry>()
    private var counts = TodayCounts()
    private var day = 0
    private var lines = 0
    private var isRead = false
    private var isCut = false

    /** Returns what is kept, newest first. */
    @Synchronized
    fun entries(): List<Entry> {
        read()
        return kept.reversed()
    }

    /** Returns what happened today. */
    @Synchronized
    fun counts(): TodayCounts {
        read()
        begin(dayOf(now()))
        return counts
    }

    /** Adds a line. */
    @Synchronized
    fun add(entry: Entry) {
        read()
        take(entry)
        try {
            if (++lines > LINES_MAX) writeAnew() else append(entry)
        } catch (error: IOException) {
            Trouble.failed("writing the activity log", error)
        }
    }

    /** Adds what happens now. */
    fun add(what: What, message: String? = null, sim: UByte? = null, code: Int? = null) =
        add(Entry(now(), what, message, sim?.toInt(), code))

    private fun append(entry: Entry) {
        file.appendText((if (isCut) "\n" else "") + EntryLine.write(entry))
        isCut = false
    }

    private fun read() {
        if (isRead) return
        isRead = true
        try {
            if (file.exists()) file.readText().let { text ->
                isCut = !text.endsWith('\n')
                text.lineSequence().filter { it.isNotEmpty() }.forEach(::readLine)
            }
        } catch (error: IOException) {
            Trouble.failed("reading the activity log", error)
        }
    }

    private fun readLine(line: String) {
        lines++
        EntryLine.read(line)?.let { return take(it) }
        EntryLine.readCounts(line)?.let { (ofDay, counted) ->
            day = ofDay
            counts = counted
        }
    }

    private fun take(entry: Entry) {
        begin(dayOf(entry.atMs))
        if (correctsUnknown(entry)) counts = counts.copy(unknown = (counts.unknown - 1).coerceAtLeast(0))
        counts = counts.with(entry.what)
        kept.addLast(entry)
        if (kept.size > ENTRIES_MAX) kept.removeFirst()
    }

    /** A late result: of a message that was unknown today, it is known what became of it. */
    private fun correctsUnknown(entry: Entry): Boolean {
        if (entry.message == null || entry.what !in KNOWN) return false
        val before = kept.lastOrNull { it.message == entry.message && (it.what in KNOWN || it.what == What.UNKNOWN) }
        return before?.what == What.UNKNOWN && dayOf(before.atMs) == day
    }

    private fun begin(other: Int) {
        if (day == other) return
        day = other
        counts = TodayCounts()
    }

    private fun writeAnew() {
        val fresh = File(file.path + ".new")
        fresh.bufferedWriter().use { writer ->
            kept.forEach { writer.write(EntryLine.write(it)) }
            writer.write(EntryLine.writeCounts(day, counts))
        }
        if (!fresh.renameTo(file)) throw IOException("not renamed")
        lines = kept.size + 1
    }

    companion object {
        /** Lines that are kept and shown. */
        const val ENTRIES_MAX = 500
        private const val LINES_MAX = 2 * ENTRIES_MAX
        private val KNOWN = setOf(What.SENT, What.FAILED, What.DELIVERED, What.NOT_DELIVERED)

        private fun dayOf(ms: Long): Int = Calendar.getInstance().run {
            timeInMillis = ms
            get(Calendar.YEAR) * 1_000 + get(Calendar.DAY_OF_YEAR)
        }

        private fun TodayCounts.with(what: What): TodayCounts = when (what) {
            What.SENT -> copy(sent = sent + 1)
            What.FAILED, What.NOT_DELIVERED -> copy(failed = failed + 1)
            What.UNKNOWN -> copy(unknown = unknown + 1)
            What.SMS_RECEIVED, What.DATA_RECEIVED, What.MMS_RECEIVED -> copy(received = received + 1)
            else -> this
        }
    }
}
