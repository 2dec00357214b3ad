package org.postrider.agent.screens

import org.postrider.core.Condition
import org.postrider.core.Entry
import java.time.Instant

/** The log for support: times, words and ids; no number, no text, no name of a network. */
object SupportText {
    /** Returns the log, newest first, below the app's version and the phone's model. */
    fun of(condition: Condition, entries: List<Entry>): String {
        val phone = listOf(condition.appVersion, condition.androidSdk, condition.manufacturer, condition.model)
        val head = "postrider " + phone.joinToString(" ") { (it ?: "?").toString() }
        return (listOf(head) + entries.map(::line)).joinToString("\n")
    }

    private fun line(entry: Entry): String = listOfNotNull(
        Instant.ofEpochMilli(entry.at).toString(),
        entry.what.name.lowercase(),
        entry.message,
        entry.sim?.let { "sim=$it" },
        entry.code?.let { "code=$it" },
    ).joinToString(" ")
}
