package org.postrider.agent

import android.content.Context
import org.postrider.agent.service.AlertNotices
import org.postrider.core.Alert
import org.postrider.core.Book
import org.postrider.core.Day
import org.postrider.core.Effect
import org.postrider.core.Entry
import org.postrider.core.Event
import org.postrider.core.Fact
import org.postrider.core.Kept
import org.postrider.core.Moment
import org.postrider.core.TodayCounts
import java.io.File
import java.io.IOException
import java.time.Instant
import java.time.ZoneId

/** What the owner is told: gives the core's book the time, keeps on disk what it says, and shows its alerts. */
class OwnerBook(context: Context, private val now: () -> Long = System::currentTimeMillis) {
    private val log = File(context.noBackupFilesDir, "activity")
    private val alertFile = context.getSharedPreferences("alerts", Context.MODE_PRIVATE)
    private val contactFile = context.getSharedPreferences("contact", Context.MODE_PRIVATE)
    private val notices = AlertNotices(context)
    private val core = Book(kept(), moment())

    /** A screen asks each second for what rarely changes. */
    private var entries: List<Entry>? = null

    init {
        perform(core.begin())
    }

    /** Returns the log's lines, newest first. */
    @Synchronized
    fun entries(): List<Entry> = entries ?: core.entries().also { entries = it }

    /** Returns what happened today. */
    fun counts(): TodayCounts = core.counts(moment())

    /** Returns what the owner has to look at, newest first. */
    fun alerts(): List<Alert> = core.alerts()

    /** Takes what the agent says. */
    @Synchronized
    fun hear(event: Event) = perform(core.hear(event, moment()))

    /** Takes what the app says. */
    @Synchronized
    fun tell(fact: Fact) = perform(core.tell(fact, moment()))

    private fun perform(effects: List<Effect>) = effects.forEach { effect ->
        when (effect) {
            is Effect.AppendLog -> write { log.appendText(effect.v1) }
            is Effect.WriteLog -> write { replaceLog(effect.v1) }
            is Effect.KeepAlerts -> keepAlerts(effect)
            is Effect.KeepContact -> keepContact(effect.v1)
            is Effect.Show -> notices.show(effect.v1)
            is Effect.Hide -> notices.hide(effect.v1)
        }
    }

    private fun write(work: () -> Unit) {
        entries = null
        try {
            work()
        } catch (error: IOException) {
            Trouble.failed("writing the activity log", error)
        }
    }

    private fun replaceLog(text: String) {
        val fresh = File(log.path + ".new")
        fresh.writeText(text)
        if (!fresh.renameTo(log)) throw IOException("not renamed")
    }

    private fun keepAlerts(alerts: Effect.KeepAlerts) {
        val edit = alertFile.edit().putStringSet(STANDING, alerts.standing.toSet())
        edit.putStringSet(SILENT, alerts.silent.toSet()).commit()
    }

    private fun keepContact(at: Long?) {
        val edit = contactFile.edit()
        (if (at == null) edit.clear() else edit.putLong(LAST, at)).apply()
    }

    private fun kept() = Kept(
        readLog(), lines(STANDING), lines(SILENT), contactFile.getLong(LAST, 0).takeIf { contactFile.contains(LAST) },
    )

    private fun lines(name: String) = alertFile.getStringSet(name, null).orEmpty().toList()

    private fun readLog(): String = try {
        if (log.exists()) log.readText() else ""
    } catch (error: IOException) {
        Trouble.failed("reading the activity log", error)
        ""
    }

    private fun moment(): Moment {
        val zone = ZoneId.systemDefault()
        val at = Instant.ofEpochMilli(now())
        val date = at.atZone(zone).toLocalDate()
        val number = date.year * 1_000 + date.dayOfYear
        return Moment(at.toEpochMilli(), Day(number.toUInt(), date.atStartOfDay(zone).toInstant().toEpochMilli()))
    }

    private companion object {
        const val STANDING = "all"
        const val SILENT = "silent"
        const val LAST = "last"
    }
}
