package org.postrider.agent.rules

import android.app.Activity
import android.provider.CallLog.Calls
import android.telephony.SmsManager
import android.telephony.TelephonyManager
import org.junit.Assert.assertEquals
import org.junit.Assert.assertTrue
import org.junit.Rule
import org.junit.Test
import org.junit.runner.RunWith
import org.postrider.agent.PairingProgress
import org.postrider.agent.flows.Modem
import org.postrider.agent.flows.Phone
import org.postrider.agent.kit.await
import org.postrider.agent.radio.ALICE
import org.postrider.agent.radio.BOB
import org.postrider.agent.radio.app
import org.postrider.agent.ussd.Network
import org.robolectric.RobolectricTestRunner
import org.robolectric.annotation.Config
import org.robolectric.annotation.SQLiteMode
import org.robolectric.shadows.ShadowLog

/** What the app and its core log during a long run: never a number, a text, a code or a key. */
@RunWith(RobolectricTestRunner::class)
@Config(shadows = [Modem::class, Network::class])
@SQLiteMode(SQLiteMode.Mode.LEGACY)
class LogsTest {
    @get:Rule
    val phone = Phone()

    @Test
    fun `no line of a log has a number, a text or a secret in it`() {
        val digits = join()
        phone.hub.say("fault", """{"do": "malformed", "how": "no_fields", "frame": "send"}""")
        send()
        takeIn()
        phone.kill()
        phone.start()
        phone.hub.say("cut")
        phone.send("""{"text": "$WORD", "to": "$BOB", "label": "last"}""")
        phone.awaitHanded(3).isSent()
        phone.awaitState("sent", label = "last")
        val activity = app.noBackupFilesDir.resolve("activity").readText()
        val lines = ShadowLog.getLogs().filter { it.tag == "postrider" }.map { it.msg } + activity.lines()
        assertTrue("the app's own lines are there", lines.any { "handing a message over failed" in it })
        assertTrue("the core's lines are there", lines.any { "a frame that cannot be read" in it })
        val secrets = listOf(WORD, ALICE, BOB, "5005550", CODE, phone.hub.invitation.code, digits)
        val telling = lines.filter { line -> secrets.any { it in line } }
        assertEquals(emptyList<String>(), telling)
    }

    private fun join(): String {
        phone.hub.say("pairing", "\"wait\"")
        phone.host.beginPairing(phone.hub.invitation)
        await("digits") { phone.host.status().pairing is PairingProgress.Comparing }
        val digits = (phone.host.status().pairing as PairingProgress.Comparing).digits
        phone.host.cancelPairing()
        phone.hub.say("pairing", "\"confirm\"")
        await("over") { phone.host.status().pairing is PairingProgress.Over }
        phone.host.cancelPairing()
        phone.pair()
        return digits
    }

    private fun send() {
        phone.send("""{"text": "$WORD", "to": "$BOB", "label": "first"}""")
        val message = phone.awaitHanded()
        message.result(0, Activity.RESULT_OK)
        // First about somebody else, then about its own recipient.
        message.report(0, 0x30, recipient = ALICE)
        message.report(0, 0x46)
        phone.send("""{"text": "$WORD", "to": "$BOB", "label": "second"}""")
        phone.awaitHanded(2).result(0, SmsManager.RESULT_ERROR_GENERIC_FAILURE, cause = 38)
        Modem.onHandOver = { throw IllegalStateException(WORD + it.to) }
        phone.send("""{"text": "$WORD", "to": "$BOB", "label": "third"}""")
        phone.awaitState("failed", 2)
        Modem.onHandOver = {}
        Network.answer = { telephony, back -> back.onReceiveUssdResponse(telephony, CODE, WORD) }
        phone.send("""{"kind": "ussd", "to": "$CODE", "label": "code", "report": false}""")
        phone.awaitState("sent", label = "code")
    }

    private fun takeIn() {
        phone.receive(ALICE, WORD)
        phone.lineIs(TelephonyManager.EXTRA_STATE_RINGING, ALICE)
        phone.lineIs(TelephonyManager.EXTRA_STATE_IDLE, ALICE)
        phone.logCall(Calls.MISSED_TYPE, ALICE, durationS = 0)
        phone.awaitInbound(3)
        phone.texts.failure = IllegalStateException(WORD + ALICE)
        phone.kill()
        phone.start()
        phone.texts.failure = null
    }

    private companion object {
        const val WORD = "parsnip"
        const val CODE = "*100#"
    }
}
