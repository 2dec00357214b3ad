package org.postrider.agent.flows

import android.content.ComponentName
import android.provider.CallLog.Calls
import android.telecom.PhoneAccount
import android.telecom.PhoneAccountHandle
import android.telecom.TelecomManager
import android.telephony.TelephonyManager
import org.junit.Assert.assertEquals
import org.junit.Assert.assertTrue
import org.junit.Rule
import org.junit.Test
import org.junit.runner.RunWith
import org.postrider.agent.kit.await
import org.postrider.agent.radio.ALICE
import org.postrider.agent.radio.FIRST_SUBSCRIPTION
import org.postrider.agent.radio.app
import org.postrider.agent.ussd.Network
import org.robolectric.RobolectricTestRunner
import org.robolectric.Shadows.shadowOf
import org.robolectric.annotation.Config
import org.robolectric.annotation.SQLiteMode

/** Calls and codes between the hub, the line and the network. */
@RunWith(RobolectricTestRunner::class)
@Config(shadows = [Modem::class, Network::class])
@SQLiteMode(SQLiteMode.Mode.LEGACY)
class CallsTest {
    @get:Rule
    val phone = Phone()

    @Test
    fun `a call that nobody answers is told once, as missed`() {
        phone.pair()
        phone.lineIs(TelephonyManager.EXTRA_STATE_RINGING, ALICE)
        phone.lineIs(TelephonyManager.EXTRA_STATE_IDLE, ALICE)
        phone.logCall(Calls.MISSED_TYPE, ALICE, durationS = 0)
        phone.awaitInbound(1)
        val call = phone.inbound().single()
        assertEquals(listOf("call", ALICE, -1), listOf("kind", "from", "duration_s").map(call::get))
        assertTrue(call.getInt("ring_s") >= 0)
    }

    @Test
    fun `a call that was answered is told with its length`() {
        phone.pair()
        phone.lineIs(TelephonyManager.EXTRA_STATE_RINGING, ALICE)
        phone.lineIs(TelephonyManager.EXTRA_STATE_OFFHOOK, ALICE)
        phone.lineIs(TelephonyManager.EXTRA_STATE_IDLE, ALICE)
        phone.logCall(Calls.INCOMING_TYPE, ALICE, durationS = 17)
        phone.awaitInbound(1)
        assertEquals(17, phone.inbound().single().getInt("duration_s"))
    }

    @Test
    fun `a call is placed by the account of its SIM and told when the log has it`() {
        addAccount()
        phone.pair()
        phone.send("""{"kind": "call", "to": "$ALICE", "report": false}""")
        val telecom = shadowOf(app.getSystemService(TelecomManager::class.java))
        await("placed") { telecom.allOutgoingCalls.isNotEmpty() }
        assertEquals(ALICE, telecom.onlyOutgoingCall.address.schemeSpecificPart)
        phone.lineIs(TelephonyManager.EXTRA_STATE_OFFHOOK, ALICE)
        phone.lineIs(TelephonyManager.EXTRA_STATE_IDLE, ALICE)
        phone.logCall(Calls.OUTGOING_TYPE, ALICE, durationS = 5)
        phone.awaitState("sent")
        assertEquals(0, phone.inbound().size)
    }

    @Test
    fun `a call without an account is refused with proof`() {
        phone.pair()
        phone.send("""{"kind": "call", "to": "$ALICE", "report": false}""")
        phone.awaitState("failed")
        assertEquals("call_no_account", phone.codeOf())
    }

    @Test
    fun `what the network answers to a code reaches the hub`() {
        Network.answer = { telephony, back -> back.onReceiveUssdResponse(telephony, CODE, "Balance: 5") }
        phone.pair()
        phone.send("""{"kind": "ussd", "to": "$CODE", "report": false}""")
        phone.awaitState("sent")
        phone.awaitInbound(1)
        val answer = phone.inbound().single()
        assertEquals(listOf("ussd", "Balance: 5"), listOf("kind", "text").map(answer::get))
        assertEquals(listOf(phone.lineOf(0) to CODE), Network.dialled.toList())
    }

    @Test
    fun `a code that the network refuses fails`() {
        Network.answer = { telephony, back -> back.onReceiveUssdResponseFailed(telephony, CODE, -1) }
        phone.pair()
        phone.send("""{"kind": "ussd", "to": "$CODE", "report": false}""")
        phone.awaitState("failed")
        assertEquals(0, phone.inbound().size)
    }

    @Test
    fun `a code that would change the phone's settings is not dialled`() {
        phone.pair()
        phone.send("""{"kind": "ussd", "to": "*21*15005550100#", "report": false}""")
        phone.awaitState("failed")
        assertEquals(0, Network.dialled.size)
    }

    @Test
    fun `a code whose answer a restart swallowed is unknown and is not dialled again`() {
        phone.pair()
        phone.send("""{"kind": "ussd", "to": "$CODE", "report": false}""")
        await("dialled") { Network.dialled.isNotEmpty() }
        phone.kill()
        phone.start()
        phone.awaitState("unknown")
        assertEquals(1, Network.dialled.size)
    }

    private fun addAccount() {
        val service = ComponentName("com.android.phone", "com.android.services.telephony.TelephonyConnectionService")
        val handle = PhoneAccountHandle(service, "1")
        val account = PhoneAccount.builder(handle, "SIM")
            .setCapabilities(PhoneAccount.CAPABILITY_CALL_PROVIDER or PhoneAccount.CAPABILITY_SIM_SUBSCRIPTION)
            .addSupportedUriScheme(PhoneAccount.SCHEME_TEL)
            .build()
        val telecom = app.getSystemService(TelecomManager::class.java)!!
        telecom.registerPhoneAccount(account)
        shadowOf(telecom).enablePhoneAccount(handle, true)
        val telephony = shadowOf(app.getSystemService(TelephonyManager::class.java))
        telephony.setPhoneAccountHandleSubscriptionId(handle, FIRST_SUBSCRIPTION)
    }

    private companion object {
        const val CODE = "*100#"
    }
}
