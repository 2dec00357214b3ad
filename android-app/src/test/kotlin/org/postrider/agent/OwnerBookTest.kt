package org.postrider.agent

import android.app.NotificationManager
import android.content.Context
import org.junit.After
import org.junit.Assert.assertEquals
import org.junit.Assert.assertTrue
import org.junit.Test
import org.junit.runner.RunWith
import org.postrider.agent.service.AlertWords
import org.postrider.core.Alert
import org.postrider.core.AlertKind
import org.postrider.core.Entry
import org.postrider.core.Event
import org.postrider.core.Fact
import org.postrider.core.MessageRef
import org.postrider.core.TodayCounts
import org.postrider.core.What
import org.postrider.core.WireState
import org.robolectric.RobolectricTestRunner
import org.robolectric.RuntimeEnvironment
import org.robolectric.Shadows.shadowOf
import java.time.Instant
import java.util.TimeZone

/** What the book is told reaches the disk, the next process and the notifications; its decisions are tested in Rust. */
@RunWith(RobolectricTestRunner::class)
class OwnerBookTest {
    private val context: Context = RuntimeEnvironment.getApplication()
    private val file = context.noBackupFilesDir.resolve("activity")
    private var nowMs = Instant.parse("2027-01-20T12:00:00Z").toEpochMilli()
    private val zone = TimeZone.getDefault()
    private val message = MessageRef("SM0000000000000001", 1u)

    /** Starts a process. */
    private fun book() = OwnerBook(context) { nowMs }

    private fun alerts(name: String) = context.getSharedPreferences("alerts", Context.MODE_PRIVATE).getStringSet(name, null)

    private fun notices() = context.getSystemService(NotificationManager::class.java)

    private fun said() = shadowOf(notices()).allNotifications.map { it.extras.getString("android.title") }

    @After
    fun tearDown() = TimeZone.setDefault(zone)

    @Test
    fun `lines and counts survive the process`() {
        val book = book()
        book.hear(Event.MessageAccepted(message, 1u))
        book.hear(Event.MessageMoved(message, WireState.FAILED, 4))
        assertEquals(Entry(nowMs, What.FAILED, message.id, null, 4), book.entries()[0])
        assertEquals(Entry(nowMs, What.ACCEPTED, message.id, 1u, null), book.entries()[1])
        assertEquals(book.entries(), book().entries())
        assertEquals(TodayCounts(failed = 1u), book().counts())
    }

    @Test
    fun `a file that grew is written anew`() {
        val book = book()
        repeat(1_001) { book.hear(Event.LinkDown) }
        assertEquals(501, file.readLines().size)
        assertEquals(500, book().entries().size)
    }

    @Test
    fun `a day ends at midnight where the phone is`() {
        TimeZone.setDefault(TimeZone.getTimeZone("Pacific/Auckland"))
        nowMs = Instant.parse("2027-01-20T10:59:59Z").toEpochMilli()
        book().hear(Event.MessageMoved(message, WireState.SENT, null))
        assertEquals(TodayCounts(sent = 1u), book().counts())
        nowMs += 1_000
        assertEquals(TodayCounts(), book().counts())
    }

    @Test
    fun `what the version before this one kept goes on`() {
        file.writeText("$nowMs\tSENT\tSM0000000000000001\t-\t-1\t.\ncounts\t2027020\t7\t1\t2\t3\t.\n")
        val kept = setOf("SIM_CHANGED 1 1800000000000", "KEY_LOST - 1800000000001")
        val edit = context.getSharedPreferences("alerts", Context.MODE_PRIVATE).edit().putStringSet("all", kept)
        edit.putStringSet("silent", setOf("KEY_LOST - 1800000000001")).commit()
        context.getSharedPreferences("contact", Context.MODE_PRIVATE).edit().putLong("last", nowMs).commit()
        val book = book()
        assertEquals(listOf(Entry(nowMs, What.SENT, "SM0000000000000001", null, -1)), book.entries())
        assertEquals(TodayCounts(7u, 1u, 2u, 3u), book.counts())
        assertEquals(listOf(AlertKind.KEY_LOST, AlertKind.SIM_CHANGED), book.alerts().map { it.kind })
        assertEquals(listOf("SIM 2: Another SIM is in the phone"), said())
        nowMs += 61 * 60_000
        book.tell(Fact.Started)
        nowMs += 6 * 60_000
        book.tell(Fact.Looked(isLinked = false, maySend = true))
        assertEquals(AlertKind.OFFLINE, book.alerts().first().kind)
        book.hear(Event.LinkUp)
        assertEquals(kept, alerts("all"))
    }

    @Test
    fun `an alert is shown until it is over, and again by the next process`() {
        val book = book()
        book.hear(Event.LookAtPhone(1u))
        book.tell(Fact.KeyLost)
        assertEquals(setOf("SIM 2: Look at the phone", "The phone has lost its key"), said().toSet())
        notices()!!.cancelAll()
        assertEquals(book.alerts(), book().alerts())
        assertEquals(2, said().size)
        book.hear(Event.SimReleased(1u))
        assertEquals(1, said().size)
    }

    @Test
    fun `what was waved away stands, and is not shown by the next process`() {
        val book = book()
        book.tell(Fact.KeyLost)
        book.tell(Fact.WavedAway(book.alerts().single()))
        notices()!!.cancelAll()
        assertEquals(book.alerts(), book().alerts())
        assertTrue(said().isEmpty())
    }

    @Test
    fun `a SIM that waits for its network makes no notification`() {
        val book = book()
        book.hear(Event.SimHeld(0u, 4))
        assertEquals(listOf(AlertKind.SIM_HELD), book.alerts().map { it.kind })
        assertTrue(said().isEmpty())
    }

    @Test
    fun `every alert says in both languages what to do`() {
        for (language in listOf("en", "fr")) {
            RuntimeEnvironment.setQualifiers(language)
            val said = AlertKind.entries.map { AlertWords.advice(context.resources, Alert(it, null, 0)) }
            assertEquals(AlertKind.entries.size, said.toSet().size)
            assertTrue(said.all { it.length > 40 })
        }
    }
}
