package org.postrider.agent.flows

import android.app.Activity
import android.telephony.SmsManager
import org.junit.Assert.assertEquals
import org.junit.Rule
import org.junit.Test
import org.junit.runner.RunWith
import org.postrider.agent.kit.await
import org.postrider.agent.radio.BOB
import org.postrider.agent.ussd.Network
import org.robolectric.RobolectricTestRunner
import org.robolectric.annotation.Config
import org.robolectric.annotation.SQLiteMode

/** The process ends in each state of a message; the journal continues, and nothing is sent twice. */
@RunWith(RobolectricTestRunner::class)
@Config(shadows = [Modem::class, Network::class])
@SQLiteMode(SQLiteMode.Mode.LEGACY)
class RestartTest {
    @get:Rule
    val phone = Phone()

    @Test
    fun `before it is handed over, a message waits for the next process`() {
        phone.host.settings.paused = true
        phone.pair()
        phone.send()
        phone.awaitWaiting(1, "paused")
        phone.kill()
        phone.start()
        assertEquals(0, phone.handed.size)
        phone.host.settings.paused = false
        phone.awaitHanded().isSent()
        phone.awaitState("sent")
        assertEquals(1, phone.handed.size)
    }

    @Test
    fun `killed within the platform's call, the next process hands nothing over again and hears the result`() {
        phone.host.settings.paused = true
        phone.pair()
        phone.send()
        phone.awaitWaiting(1, "paused")
        // The hub gets no more from a process than its disk has.
        phone.host.agent.networkLost()
        await("not linked") { !phone.host.status().isLinked }
        Modem.onHandOver = { phone.keepDisk() }
        phone.host.settings.paused = false
        val message = phone.awaitHanded()
        phone.killThen()
        phone.start()
        Modem.onHandOver = {}
        phone.send("""{"label": "next", "sim": 1}""")
        phone.awaitHanded(2).isSent()
        phone.awaitState("sent", label = "next")
        assertEquals(listOf<String>(), phone.statesOf().filter { it != "submitting" })
        message.isSent()
        phone.awaitState("sent", 2)
        assertEquals(2, phone.handed.size)
    }

    @Test
    fun `while it waits for its retry, no process forgets it or goes ahead`() {
        phone.pair()
        phone.send()
        phone.awaitHanded().result(0, SmsManager.RESULT_RIL_NO_MEMORY)
        phone.awaitState("retrying")
        phone.kill()
        phone.start()
        phone.send("""{"label": "next"}""")
        phone.awaitHanded(2).isSent()
        phone.awaitState("sent", label = "next")
        phone.awaitWaiting(1)
        assertEquals("retrying", phone.statesOf().last())
    }

    @Test
    fun `after it was handed over, the result starts the process`() {
        phone.pair()
        phone.send()
        val message = phone.awaitHanded()
        phone.kill()
        message.isSent()
        phone.awaitState("sent")
        await("runs") { phone.host.status().isRunning }
        assertEquals(1, phone.handed.size)
    }

    @Test
    fun `after a reboot, by the platform's count of boots, what was with the radio is not waited for`() {
        phone.boots(3)
        phone.pair()
        phone.send()
        val message = phone.awaitHanded()
        phone.kill()
        phone.boots(4)
        phone.start()
        phone.awaitState("unknown")
        message.isSent()
        phone.awaitState("sent")
        assertEquals(1, phone.handed.size)
    }

    @Test
    fun `a process that comes back first waits for the result that is late`() {
        phone.pair()
        phone.send("""{"parts": 2}""")
        val message = phone.awaitHanded()
        message.result(1, Activity.RESULT_OK)
        phone.kill()
        phone.start()
        phone.send("""{"label": "next", "sim": 1}""")
        phone.awaitHanded(2).isSent()
        phone.awaitState("sent", label = "next")
        message.result(0, Activity.RESULT_OK)
        phone.awaitState("sent", 2)
        assertEquals(2, phone.handed.size)
    }

    @Test
    fun `after it was sent, its reports are told by the next process`() {
        phone.pair()
        phone.send()
        val message = phone.awaitHanded()
        message.isSent()
        phone.awaitState("sent")
        phone.kill()
        message.isDelivered()
        phone.awaitState("delivered")
        phone.kill()
        phone.start()
        assertEquals(listOf("sent", "delivered"), phone.statesOf())
    }

    @Test
    fun `a result that came while there was no network is told when there is one`() {
        phone.pair()
        phone.send()
        val message = phone.awaitHanded()
        phone.hub.say("fault", """{"do": "refuse", "times": 1}""")
        phone.hub.say("cut")
        message.isSent()
        phone.kill()
        phone.start()
        phone.awaitState("sent")
    }

    @Test
    fun `a phone that is started and unlocked goes on by itself`() {
        phone.pair()
        phone.boot()
        phone.send()
        phone.awaitHanded().isSent()
        phone.awaitState("sent")
    }

    @Test
    fun `a hub that comes back from a backup is told of everything and nothing goes out twice`() {
        phone.pair()
        phone.hub.say("remember")
        phone.send()
        phone.awaitHanded().isSent()
        phone.awaitState("sent")
        phone.hub.say("go_back")
        phone.awaitHub("""{"connected": 2}""")
        phone.send("""{"label": "next"}""")
        phone.awaitHanded(2).isSent()
        phone.awaitState("sent", label = "next")
        assertEquals(2, phone.handed.size)
    }

    @Test
    fun `a phone that was stopped in Android keeps what comes in and hands nothing over`() {
        phone.pair()
        phone.setService(false)
        phone.send()
        phone.awaitWaiting(1, "sim_held")
        phone.stopInAndroid()
        phone.setService(true)
        phone.receive(BOB, "hello")
        assertEquals(0, phone.handed.size)
        phone.host.startByOwner()
        phone.awaitHanded().isSent()
        phone.awaitState("sent")
        phone.awaitInbound(1)
    }
}
