package org.postrider.agent

import android.content.Context

/** What happened, in words that never hold a number or a text. */
enum class What {
    STARTED, STOPPED_BY_OWNER, FAILED_TO_RUN, PAIRED, UNPAIRED,
    LINK_UP, LINK_DOWN, LINK_FAILING, PAIRING_NEEDED, UPDATE_NEEDED,
    ACCEPTED, SUBMITTED, RETRYING, SENT, FAILED, DELIVERED, NOT_DELIVERED, UNKNOWN, REVOKED, CANCELLED, EXPIRED,
    SMS_RECEIVED, DATA_RECEIVED, MMS_RECEIVED, USSD_ANSWERED, CALL_SEEN,
    SIM_CHANGED, SIM_HELD, SIM_RELEASED, LOOK_AT_PHONE, PACE_HALVED, REPORT_MISMATCHED, STRAY_RESULT,
}

/** One line of the log: [message] is an id, [code] a result code. */
data class Entry(val atMs: Long, val what: What, val message: String?, val sim: Int?, val code: Int?)

/** The last events, on disk: times, ids and words only. */
class ActivityLog(context: Context) {
    private val folder = context.noBackupFilesDir

    /** Returns what is kept, newest first. */
    fun entries(): List<Entry> = emptyList()

    /** Returns what happened today. */
    fun counts(): TodayCounts = TodayCounts()

    /** Adds a line. */
    fun add(entry: Entry) {
        folder.isDirectory
        entry.what
    }

    companion object {
        /** Lines that are kept and shown. */
        const val ENTRIES_MAX = 500
    }
}
