package org.postrider.agent.flows

import android.content.Intent
import android.telephony.SmsManager
import org.junit.After
import org.junit.Assert.assertEquals
import org.junit.Assert.assertTrue
import org.junit.Rule
import org.junit.Test
import org.junit.runner.RunWith
import org.postrider.agent.QuietHours
import org.postrider.agent.TestProgress
import org.postrider.agent.kit.await
import org.postrider.agent.radio.BOB
import org.postrider.agent.radio.SECOND_SUBSCRIPTION
import org.postrider.agent.radio.app
import org.postrider.agent.ussd.Network
import org.postrider.core.PaceRule
import org.postrider.core.Refused
import org.postrider.core.WireState
import org.robolectric.RobolectricTestRunner
import org.robolectric.annotation.Config
import org.robolectric.annotation.SQLiteMode
import java.util.Calendar
import java.util.TimeZone

/** What the owner does without the hub: test messages, and quiet hours. */
@RunWith(RobolectricTestRunner::class)
@Config(shadows = [Modem::class, Network::class])
@SQLiteMode(SQLiteMode.Mode.LEGACY)
class OwnToolsTest {
    @get:Rule
    val phone = Phone()

    private val zone = TimeZone.getDefault()

    @After
    fun `at home again`() = TimeZone.setDefault(zone)

    private fun awaitTest(test: TestProgress) = await("$test") { phone.host.status().test == test }

    private fun awaitTest(state: WireState, code: Int? = null) = awaitTest(TestProgress.Moved(state, code))

    @Test
    fun `a test message goes by its SIM, and its results are shown here and told to no hub`() {
        phone.pair()
        phone.host.settings.paused = true
        phone.host.sendTest(1u, BOB, "hello")
        val message = phone.awaitHanded()
        assertEquals(listOf(SECOND_SUBSCRIPTION, BOB), listOf(message.subscription, message.to))
        assertEquals(listOf("hello"), message.parts)
        awaitTest(WireState.SUBMITTING)
        message.isSent()
        awaitTest(WireState.SENT)
        message.isDelivered()
        awaitTest(WireState.DELIVERED)
        assertEquals(0u, phone.host.status().counts.sent)
    }

    @Test
    fun `a test that fails says with which code, and one that the process outlived says nothing`() {
        phone.pair()
        phone.host.sendTest(0u, BOB, "hello")
        phone.awaitHanded().result(0, SmsManager.RESULT_ERROR_GENERIC_FAILURE)
        awaitTest(WireState.FAILED, SmsManager.RESULT_ERROR_GENERIC_FAILURE)
        phone.host.sendTest(0u, BOB, "hello again")
        val message = phone.awaitHanded(2)
        phone.kill()
        phone.start()
        message.isSent()
        assertEquals(null, phone.host.status().test)
    }

    @Test
    fun `a test counts towards the limit, and is refused where that leaves no place`() {
        phone.host.settings.partsPerHour = 1
        phone.pair()
        phone.host.sendTest(0u, BOB, "hello")
        phone.awaitHanded().isSent()
        awaitTest(WireState.SENT)
        phone.send()
        phone.awaitWaiting(1, "send_limit")
        phone.host.sendTest(0u, BOB, "hello")
        await("refused") { phone.host.status().test is TestProgress.NotSent }
        val refused = phone.host.status().test as TestProgress.NotSent
        assertEquals(PaceRule.SEND_LIMIT, (refused.why as Refused.NoSlot).rule)
        assertTrue(refused.atMs!! > System.currentTimeMillis())
        assertEquals(1, phone.handed.size)
    }

    @Test
    fun `what the agent cannot take is not sent`() {
        phone.host.sendTest(0u, BOB, "hello")
        awaitTest(TestProgress.NotRunning)
    }

    @Test
    fun `in quiet hours messages wait, also over a restart, until they are over or taken back`() {
        phone.host.settings.quietHours = around(now())
        phone.host.settings.isQuiet = true
        phone.pair()
        phone.send()
        phone.awaitWaiting(1, "quiet_hours")
        phone.kill()
        phone.start()
        phone.awaitWaiting(1, "quiet_hours")
        assertEquals(0, phone.handed.size)
        phone.host.settings.isQuiet = false
        phone.awaitHanded().isSent()
        phone.awaitState("sent")
    }

    @Test
    fun `quiet hours follow the phone into another time zone`() = afterAFlight {
        app.sendBroadcast(Intent(Intent.ACTION_TIMEZONE_CHANGED).setPackage(app.packageName))
    }

    @Test
    fun `each look of the watchdog tells the quiet hours anew`() = afterAFlight { phone.host.look() }

    private fun afterAFlight(notice: () -> Unit) {
        TimeZone.setDefault(TimeZone.getTimeZone("UTC"))
        phone.host.settings.quietHours = around(now())
        phone.host.settings.isQuiet = true
        phone.pair()
        phone.send()
        phone.awaitWaiting(1, "quiet_hours")
        TimeZone.setDefault(TimeZone.getTimeZone("Asia/Tokyo"))
        notice()
        phone.awaitHanded().isSent()
        phone.awaitState("sent")
    }

    private fun now(): Int = Calendar.getInstance().run { get(Calendar.HOUR_OF_DAY) * 60 + get(Calendar.MINUTE) }

    /** Two hours before and after a minute of the day. */
    private fun around(minute: Int) = QuietHours((minute + DAY - TWO_HOURS) % DAY, (minute + TWO_HOURS) % DAY)

    private companion object {
        const val DAY = 24 * 60
        const val TWO_HOURS = 120
    }
}
