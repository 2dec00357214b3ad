package org.postrider.agent

import android.app.NotificationManager
import org.junit.Assert.assertEquals
import org.junit.Assert.assertTrue
import org.junit.Test
import org.junit.runner.RunWith
import org.postrider.agent.service.AlertNotices
import org.postrider.agent.service.AlertWords
import org.postrider.core.CloseCode
import org.postrider.core.Event
import org.postrider.core.MessageRef
import org.postrider.core.SendToken
import org.postrider.core.Source
import org.postrider.core.WireState
import org.robolectric.RobolectricTestRunner
import org.robolectric.RuntimeEnvironment
import org.robolectric.Shadows.shadowOf

@RunWith(RobolectricTestRunner::class)
class EventBookTest {
    private val context = RuntimeEnvironment.getApplication()
    private val activity = ActivityLog(context)
    private val alerts = Alerts(context).apply { addListener(AlertNotices(context)) }
    private val book = EventBook(activity, alerts)
    private val message = MessageRef("msg_01hzy3v4k8w6f2r5t7m9n0p1q2", 1u)

    private fun kinds() = alerts.all().map { it.kind }

    private fun shown() = shadowOf(context.getSystemService(NotificationManager::class.java)).allNotifications

    private fun said() = shown().map { it.extras.getString("android.title") }

    @Test
    fun `every event is written down, a hand-over once`() {
        val token = SendToken(message, 1u)
        val events = listOf(
            Event.LinkUp, Event.LinkDown, Event.NotKnownHere, Event.PairingNeeded(CloseCode.NOT_PAIRED), Event.UpdateNeeded,
            Event.LinkFailing, Event.LinkReplaced, Event.MessageAccepted(message, 0u), Event.MessageSubmitted(token, 1u),
            Event.MessageMoved(message, WireState.SUBMITTING, null), Event.MessageMoved(message, WireState.FAILED, 4),
            Event.TestMoved(token, WireState.SENT, null), Event.TestMoved(token, WireState.FAILED, 4),
            Event.MessageReceived(Source.MMS, 1u), Event.SimChanged(0u), Event.SimConfirmed(0u), Event.SimHeld(0u, 4),
            Event.SimReleased(0u), Event.LookAtPhone(0u), Event.PaceHalved(1u), Event.ReportMismatched(token), Event.StrayResult(token),
        )
        events.forEach(book::take)
        val whats = listOf(
            What.LINK_UP, What.LINK_DOWN, What.NOT_KNOWN, What.PAIRING_NEEDED, What.UPDATE_NEEDED, What.LINK_FAILING,
            What.LINK_REPLACED, What.ACCEPTED, What.SUBMITTED, What.FAILED, What.TEST_SENT, What.TEST_FAILED,
            What.MMS_RECEIVED, What.SIM_CHANGED, What.SIM_CONFIRMED,
            What.SIM_HELD, What.SIM_RELEASED, What.LOOK_AT_PHONE, What.PACE_HALVED, What.REPORT_MISMATCHED, What.STRAY_RESULT,
        )
        assertEquals(whats, activity.entries().reversed().map { it.what })
    }

    @Test
    fun `a silent radio is said with its SIM, until the SIM sends again`() {
        book.take(Event.LookAtPhone(1u))
        book.take(Event.LookAtPhone(1u))
        assertEquals(listOf("SIM 2: Look at the phone"), said())
        book.take(Event.SimReleased(0u))
        assertEquals(listOf(AlertKind.LOOK_AT_PHONE), kinds())
        book.take(Event.SimReleased(1u))
        assertTrue(kinds().isEmpty())
        assertTrue(shown().isEmpty())
    }

    @Test
    fun `another SIM is said until its own slot is settled`() {
        book.take(Event.SimChanged(1u))
        book.take(Event.SimConfirmed(0u))
        assertEquals(listOf("SIM 2: Another SIM is in the phone"), said())
        book.take(Event.SimConfirmed(1u))
        assertTrue(kinds().isEmpty())
        assertTrue(shown().isEmpty())
    }

    @Test
    fun `a phone whose place something else took says so, also when it is back`() {
        book.take(Event.LinkReplaced)
        book.take(Event.LinkUp)
        assertEquals(listOf("This phone is in use elsewhere"), said())
    }

    @Test
    fun `a SIM that waits for its network makes no notification`() {
        book.take(Event.SimHeld(0u, 4))
        assertEquals(listOf(AlertKind.SIM_HELD), kinds())
        assertTrue(shown().isEmpty())
    }

    @Test
    fun `a connection ends what was wrong with it`() {
        book.take(Event.NotKnownHere)
        book.take(Event.UpdateNeeded)
        book.take(Event.LinkFailing)
        alerts.raise(AlertKind.OFFLINE)
        alerts.raise(AlertKind.SIM_CHANGED, 0u)
        book.take(Event.LinkUp)
        assertEquals(listOf(AlertKind.SIM_CHANGED), kinds())
        assertEquals(1, shown().size)
    }

    @Test
    fun `alerts outlive the process and are shown again by the next one`() {
        alerts.raise(AlertKind.KEY_LOST)
        alerts.raise(AlertKind.SIM_CHANGED, 1u)
        context.getSystemService(NotificationManager::class.java)!!.cancelAll()
        val next = Alerts(context).apply { addListener(AlertNotices(context)) }
        assertEquals(alerts.all(), next.all())
        assertEquals(2, shown().size)
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
