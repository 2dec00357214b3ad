package org.postrider.agent.screens

import android.content.Context
import android.text.format.DateFormat
import android.text.format.DateUtils
import org.postrider.agent.R
import java.util.Date
import java.util.TimeZone

/** Writes times as people read them, in the phone's language and zone. */
class Times(private val context: Context, private val now: () -> Long = System::currentTimeMillis) {
    /** Returns a sentence for when the next message is sent. */
    fun nextIn(ms: Long): String {
        val minutes = ((ms + MINUTE_MS - 1) / MINUTE_MS).toInt()
        return when {
            ms <= 0 -> context.getString(R.string.next_now)
            ms < MINUTE_MS -> context.getString(R.string.next_within_a_minute)
            minutes < MINUTES_SAID -> context.resources.getQuantityString(R.plurals.next_in_minutes, minutes, minutes)
            else -> context.getString(R.string.next_at, moment(now() + ms))
        }
    }

    /** Returns a moment, with its day if that is not today. */
    fun moment(unixMs: Long): String {
        val day = if (DateUtils.isToday(unixMs)) 0 else DateUtils.FORMAT_SHOW_DATE or DateUtils.FORMAT_ABBREV_MONTH
        return DateUtils.formatDateTime(context, unixMs, DateUtils.FORMAT_SHOW_TIME or day)
    }

    /** Returns a time of the day; [minute] counts from midnight. */
    fun ofDay(minute: Int): String {
        val clock = DateFormat.getTimeFormat(context).apply { timeZone = TimeZone.getTimeZone("UTC") }
        return clock.format(Date(minute * MINUTE_MS))
    }

    private companion object {
        const val MINUTE_MS = 60_000L

        /** Beyond this, a clock time is clearer than minutes. */
        const val MINUTES_SAID = 60
    }
}
