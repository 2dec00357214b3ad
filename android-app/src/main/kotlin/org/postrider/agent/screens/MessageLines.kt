package org.postrider.agent.screens

import android.content.res.Resources
import org.postrider.agent.R
import org.postrider.core.Entry
import org.postrider.core.What

/** The last messages: one line each, with the newest state. */
class MessageLines(private val resources: Resources, private val times: Times) {
    /** Returns the lines of the last messages; the entries begin with the newest. */
    fun of(entries: List<Entry>): List<Line> {
        val last = entries.filter { it.what in ICONS && it.message != null }.distinctBy { it.message }.take(SHOWN)
        return last.map { entry ->
            val reason = EntryWords.reason(resources, entry)
            val about = listOfNotNull(EntryWords.place(resources, times, entry), reason)
            Line.Item(ICONS.getValue(entry.what), resources.getString(EntryWords.sentence(entry.what)), about)
        }
    }

    companion object {
        private const val SHOWN = 5

        /** The states of a message, and their icons. */
        val ICONS: Map<What, Int> = mapOf(
            What.ACCEPTED to R.drawable.ic_waiting,
            What.RETRYING to R.drawable.ic_waiting,
            What.SUBMITTED to R.drawable.ic_sending,
            What.SENT to R.drawable.ic_sent,
            What.DELIVERED to R.drawable.ic_ready,
            What.FAILED to R.drawable.ic_failed,
            What.NOT_DELIVERED to R.drawable.ic_failed,
            What.UNKNOWN to R.drawable.ic_unclear,
            What.REVOKED to R.drawable.ic_stopped,
            What.CANCELLED to R.drawable.ic_stopped,
            What.EXPIRED to R.drawable.ic_stopped,
        )
    }
}
