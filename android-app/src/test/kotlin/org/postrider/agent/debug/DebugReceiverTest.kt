package org.postrider.agent.debug

import android.content.Intent
import org.junit.Assert.assertEquals
import org.junit.Assert.assertFalse
import org.junit.Assert.assertTrue
import org.junit.Rule
import org.junit.Test
import org.junit.runner.RunWith
import org.postrider.agent.flows.Modem
import org.postrider.agent.flows.Phone
import org.postrider.agent.kit.await
import org.postrider.agent.ussd.Network
import org.robolectric.RobolectricTestRunner
import org.robolectric.RuntimeEnvironment
import org.robolectric.annotation.Config
import org.robolectric.annotation.SQLiteMode

/** Commands of an emulator's script to the app. */
@RunWith(RobolectricTestRunner::class)
@Config(shadows = [Modem::class, Network::class])
@SQLiteMode(SQLiteMode.Mode.LEGACY)
class DebugReceiverTest {
    @get:Rule
    val phone = Phone()

    @Test
    fun `a phone joins, stops, starts and leaves`() {
        val invitation = phone.hub.invitation
        val link = "postrider://pair?hub=${invitation.hub}&code=${invitation.code}"
        assertEquals(1, say("JOIN", "link" to link, "forwarding" to "yes"))
        await("joined") { phone.host.status().isLinked }
        assertEquals(true, phone.host.settings.isForwarding)
        say("STOP")
        await("stopped") { !phone.host.status().isRunning }
        say("START")
        await("started") { phone.host.status().isLinked }
        say("LEAVE")
        await("left") { phone.host.status().paired == null }
    }

    @Test
    fun `what it does not know it refuses`() {
        assertEquals(0, say("FLY"))
        assertEquals(0, say("JOIN", "link" to "https://hub.example.org"))
        assertTrue(phone.host.status().paired == null)
        assertFalse(phone.host.status().isRunning)
    }

    private fun say(action: String, vararg extras: Pair<String, String>): Int {
        val intent = Intent(DebugReceiver.ACTIONS + action)
        for ((name, value) in extras) intent.putExtra(name, value)
        val receiver = Answering()
        receiver.onReceive(RuntimeEnvironment.getApplication(), intent)
        return receiver.answered
    }

    /** Only an ordered broadcast has a result, so the answer is recorded here. */
    private class Answering : DebugReceiver() {
        var answered = -1

        override fun answer(code: Int, words: String) {
            answered = code
            assertTrue(words.startsWith("paired="))
        }
    }
}
