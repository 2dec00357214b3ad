package org.postrider.agent.flows

import android.Manifest.permission.SEND_SMS
import android.app.Activity
import android.telephony.SmsManager
import org.junit.Assert.assertEquals
import org.junit.Assert.assertFalse
import org.junit.Assert.assertTrue
import org.junit.Rule
import org.junit.Test
import org.junit.runner.RunWith
import org.postrider.agent.kit.await
import org.postrider.agent.radio.BOB
import org.postrider.agent.radio.FIRST_SUBSCRIPTION
import org.postrider.agent.radio.SECOND_SUBSCRIPTION
import org.postrider.agent.radio.grant
import org.postrider.agent.radio.revoke
import org.postrider.agent.ussd.Network
import org.postrider.core.AlertKind
import org.postrider.core.Command
import org.robolectric.RobolectricTestRunner
import org.robolectric.annotation.Config
import org.robolectric.annotation.SQLiteMode

/** From the hub to the platform's messaging and back, through journal and link. */
@RunWith(RobolectricTestRunner::class)
@Config(shadows = [Modem::class, Network::class])
@SQLiteMode(SQLiteMode.Mode.LEGACY)
class SendingTest {
    @get:Rule
    val phone = Phone()

    @Test
    fun `a message goes out by its SIM and its reports come back`() {
        phone.pair()
        phone.send("""{"text": "hello", "to": "$BOB", "sim": 1}""")
        val message = phone.awaitHanded()
        assertEquals(listOf(SECOND_SUBSCRIPTION, BOB), listOf(message.subscription, message.to))
        assertEquals(listOf("hello"), message.parts)
        message.isSent()
        message.isDelivered()
        phone.awaitState("delivered")
        assertEquals(listOf("sent", "delivered"), phone.statesOf())
        assertEquals(1u, phone.host.status().counts.sent)
    }

    @Test
    fun `a failure that proves that nothing left is told as that`() {
        phone.pair()
        phone.send()
        phone.awaitHanded().result(0, SmsManager.RESULT_ERROR_FDN_CHECK_FAILURE)
        phone.awaitState("failed")
        assertEquals(1, phone.handed.size)
        assertTrue(phone.handed.single().isRefused)
    }

    @Test
    fun `a failure that proves nothing is not sent again`() {
        phone.pair()
        phone.send()
        phone.awaitHanded().result(0, SmsManager.RESULT_ERROR_GENERIC_FAILURE, cause = 38)
        phone.awaitState("failed")
        assertEquals(1, phone.handed.size)
    }

    @Test
    fun `a code that nobody knows proves nothing`() {
        phone.pair()
        phone.send()
        phone.awaitHanded().result(0, 4_711)
        phone.awaitState("failed")
        assertEquals(1, phone.handed.size)
    }

    @Test
    fun `a message that the platform is too busy for waits for its own retry and keeps no other back`() {
        phone.pair()
        phone.send()
        phone.awaitHanded().result(0, SmsManager.RESULT_RIL_NO_MEMORY)
        phone.awaitState("retrying")
        phone.send("""{"label": "next"}""")
        phone.awaitHanded(2).isSent()
        phone.awaitState("sent", label = "next")
        assertEquals("retrying", phone.statesOf().last())
    }

    @Test
    fun `a SIM without a network is held, without an attempt, until it has one`() {
        phone.pair()
        phone.send()
        phone.awaitHanded().result(0, SmsManager.RESULT_ERROR_NO_SERVICE)
        await("held") { phone.host.status().alerts.any { it.kind == AlertKind.SIM_HELD } }
        phone.send()
        phone.awaitWaiting(2, "sim_held")
        assertEquals(1, phone.handed.size)
        phone.setService(false)
        phone.setService(true)
        phone.awaitHanded(2).isSent()
        phone.awaitHanded(3).isSent()
        phone.awaitState("sent", 2)
        await("released") { phone.host.status().alerts.isEmpty() }
    }

    @Test
    fun `the platform's own limit holds the SIM until somebody looks`() {
        phone.pair()
        phone.send()
        phone.awaitHanded().result(0, SmsManager.RESULT_ERROR_LIMIT_EXCEEDED)
        await("held") { phone.host.status().alerts.any { it.kind == AlertKind.SIM_HELD } }
        phone.host.command(Command.ReleaseSim(0u))
        phone.awaitHanded(2).isSent()
        phone.awaitState("sent")
    }

    @Test
    fun `in airplane mode a message waits, and goes when its SIM and the hub are back`() {
        phone.pair()
        phone.send()
        val message = phone.awaitHanded()
        phone.setAirplaneMode(true)
        message.result(0, SmsManager.RESULT_ERROR_RADIO_OFF)
        phone.awaitWaiting(1, "sim_held")
        phone.setAirplaneMode(false)
        phone.awaitHanded(2).isSent()
        phone.awaitState("sent")
        assertEquals(2, phone.handed.size)
    }

    @Test
    fun `parts with different results make a failure, and late ones change nothing of it`() {
        phone.pair()
        phone.send("""{"parts": 3}""")
        val message = phone.awaitHanded()
        assertEquals(3, message.parts.size)
        message.result(2, Activity.RESULT_OK)
        message.result(0, Activity.RESULT_OK)
        message.result(1, SmsManager.RESULT_ERROR_GENERIC_FAILURE)
        phone.awaitState("failed")
        message.report(0, 0x00)
        assertEquals("failed", phone.statesOf().last())
        assertEquals(1, phone.handed.size)
    }

    @Test
    fun `a message is delivered when each part is, in whatever order that is told`() {
        phone.pair()
        phone.send("""{"parts": 2}""")
        val message = phone.awaitHanded()
        message.report(1, 0x00)
        message.result(1, Activity.RESULT_OK)
        message.report(0, 0x30)
        message.result(0, Activity.RESULT_OK)
        phone.awaitState("sent")
        message.report(0, 0x00)
        phone.awaitState("delivered")
    }

    @Test
    fun `a report that gives up on a part is the message's`() {
        phone.pair()
        phone.send("""{"parts": 2}""")
        val message = phone.awaitHanded()
        message.isSent()
        message.report(0, 0x00)
        message.report(1, 0x46)
        phone.awaitState("not_delivered")
    }

    @Test
    fun `who does without delivery reports on a SIM is asked for none, and sent is the last word`() {
        phone.host.settings.setReports(0u, false)
        phone.pair()
        phone.send()
        val message = phone.awaitHanded()
        assertFalse(message.wantsReports)
        message.isSent()
        phone.awaitState("sent")
        phone.send("""{"label": "other", "sim": 1}""")
        assertTrue(phone.awaitHanded(2).wantsReports)
        phone.handed.last().isSent()
        phone.awaitState("sent", label = "other")
    }

    @Test
    fun `a permission that is revoked holds messages, says so, and lets them go when it is given again`() {
        phone.pair()
        phone.send()
        phone.awaitHanded().isSent()
        revoke(SEND_SMS)
        phone.send("""{"label": "forbidden"}""")
        phone.awaitWaiting(1)
        phone.host.refresh()
        phone.awaitWaiting(1, "not_permitted")
        assertEquals(1, phone.handed.size)
        await("said") { phone.host.status().alerts.any { it.kind == AlertKind.MAY_NOT_SEND } }
        grant(SEND_SMS)
        phone.host.refresh()
        phone.awaitHanded(2).isSent()
        phone.awaitState("sent", label = "forbidden")
    }

    @Test
    fun `what waits for a SIM that is taken out goes when it is back, and the other SIM goes on`() {
        phone.host.settings.paused = true
        phone.pair()
        phone.send("""{"label": "waits", "sim": 0}""")
        phone.awaitWaiting(1, "paused")
        phone.insertSims(1)
        await("seen") { phone.host.status().sims.map { it.slot } == listOf<UByte>(1u) }
        phone.host.settings.paused = false
        phone.send("""{"label": "too late", "sim": 0}""")
        phone.awaitState("failed", label = "too late")
        phone.send("""{"label": "other", "sim": 1}""")
        phone.awaitHanded().isSent()
        phone.awaitState("sent", label = "other")
        assertEquals(listOf(SECOND_SUBSCRIPTION), phone.handed.map { it.subscription })
        phone.insertSims(0, 1)
        phone.awaitHanded(2).isSent()
        phone.awaitState("sent", label = "waits")
        assertEquals(FIRST_SUBSCRIPTION, phone.handed.last().subscription)
    }

    @Test
    fun `another SIM is an alert until the old one is back`() {
        phone.pair()
        phone.insertSims(0, 1, by = mapOf(0 to SECOND_SUBSCRIPTION, 1 to FIRST_SUBSCRIPTION))
        await("changed") { phone.host.status().alerts.count { it.kind == AlertKind.SIM_CHANGED } == 2 }
        phone.send()
        phone.awaitWaiting(1, "sim_changed")
        phone.insertSims(0, 1)
        phone.awaitHanded().isSent()
        await("no alert") { phone.host.status().alerts.isEmpty() }
        phone.awaitState("sent")
    }

    @Test
    fun `the number that was typed for a SIM is not that of the one that takes its place`() {
        phone.pair()
        phone.host.settings.setTypedNumber(0u, BOB)
        phone.insertSims(0, 1, by = mapOf(0 to SECOND_SUBSCRIPTION, 1 to FIRST_SUBSCRIPTION))
        await("changed") { phone.host.status().alerts.count { it.kind == AlertKind.SIM_CHANGED } == 2 }
        assertEquals(BOB, phone.host.settings.typedNumber(0u))
        phone.host.command(Command.ConfirmSim(0u))
        await("forgotten") { phone.host.settings.typedNumber(0u) == null }
        await("one is left") { phone.host.status().alerts.count { it.kind == AlertKind.SIM_CHANGED } == 1 }
    }
}
