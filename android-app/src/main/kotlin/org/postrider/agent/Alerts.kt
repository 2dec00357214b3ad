package org.postrider.agent

import android.content.Context

/** What the owner has to look at; it outlives the process. */
class Alerts(context: Context, private val now: () -> Long = System::currentTimeMillis) {
    /** Is told what is new and what is over, on the thread that says so. */
    interface Listener {
        fun onRaised(alert: Alert)

        fun onCleared(alert: Alert)
    }

    private val file = context.getSharedPreferences("alerts", Context.MODE_PRIVATE)
    private val listeners = ArrayList<Listener>()

    /** Returns them, newest first. */
    @Synchronized
    fun all(): List<Alert> =
        file.getStringSet(ALL, null).orEmpty().mapNotNull(::read).sortedWith(compareBy({ -it.sinceMs }, { it.kind }))

    /** Raises one, unless it stands already. */
    fun raise(kind: AlertKind, sim: UByte? = null) {
        if (all().any { it.kind == kind && it.sim == sim }) return
        val alert = Alert(kind, sim, now())
        change(ALL) { it + write(alert) }
        listeners.forEach { it.onRaised(alert) }
    }

    /** Clears those of a kind; of one SIM, or of all. */
    fun clear(kind: AlertKind, sim: UByte? = null) =
        all().filter { it.kind == kind && (sim == null || it.sim == sim) }.forEach(::clear)

    /** Clears one. */
    fun clear(alert: Alert) {
        change(ALL) { it - write(alert) }
        change(SILENT) { it - write(alert) }
        listeners.forEach { it.onCleared(alert) }
    }

    /** One was waved away: it stands, and is not said again by itself. */
    fun silence(alert: Alert) = change(SILENT) { it + write(alert) }

    /** Says what stands already and was not waved away, and from then on what changes. */
    fun addListener(listener: Listener) {
        listeners.add(listener)
        val silent = file.getStringSet(SILENT, null).orEmpty()
        all().filter { write(it) !in silent }.forEach(listener::onRaised)
    }

    @Synchronized
    private fun change(which: String, how: (Set<String>) -> Set<String>) {
        file.edit().putStringSet(which, how(file.getStringSet(which, null).orEmpty())).commit()
    }

    private companion object {
        const val ALL = "all"
        const val SILENT = "silent"
        const val NO_SIM = "-"

        fun write(alert: Alert) = listOf(alert.kind.name, alert.sim ?: NO_SIM, alert.sinceMs).joinToString(" ")

        /** One of another version of the app may be unknown. */
        fun read(line: String): Alert? {
            val words = line.split(' ')
            val kind = AlertKind.entries.find { it.name == words[0] }
            val since = words.getOrNull(2)?.toLongOrNull()
            return if (kind == null || since == null) null else Alert(kind, words[1].toUByteOrNull(), since)
        }
    }
}
