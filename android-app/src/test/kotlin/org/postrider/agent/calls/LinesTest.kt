package org.postrider.agent.calls

import android.Manifest.permission.READ_PHONE_STATE
import android.content.Intent
import android.os.Handler
import android.os.Looper
import android.telephony.TelephonyManager
import org.junit.After
import org.junit.Assert.assertEquals
import org.junit.Before
import org.junit.Test
import org.junit.runner.RunWith
import org.postrider.agent.radio.ALICE
import org.postrider.agent.radio.Facts
import org.postrider.agent.radio.SECOND_SUBSCRIPTION
import org.postrider.agent.radio.Slots
import org.postrider.agent.radio.app
import org.postrider.agent.radio.grant
import org.postrider.agent.radio.hearOut
import org.postrider.agent.radio.keeping
import org.postrider.agent.radio.revoke
import org.postrider.core.CallState
import org.postrider.core.RadioFact
import org.robolectric.RobolectricTestRunner
import org.robolectric.Shadows.shadowOf

@RunWith(RobolectricTestRunner::class)
class LinesTest {
    private val facts = Facts()
    private val slots = Slots.two()
    private val phone by lazy { TwoLines() }
    private val watcher by lazy { LineWatcher(app, slots, Handler(Looper.getMainLooper()), facts) }
    private val receiver = PhoneStateReceiver(keeping(facts)) { slots }

    @Before
    fun insertSims() {
        grant(READ_PHONE_STATE)
        phone.telephony.hashCode()
    }

    @After
    fun stop() = watcher.stop()

    @Test
    fun how_every_line_is_is_told_at_the_start_and_at_each_change() {
        shadowOf(phone.second).setCallState(TelephonyManager.CALL_STATE_OFFHOOK)
        watcher.watch()
        assertEquals(listOf(line(0, CallState.IDLE), line(1, CallState.OFF_HOOK)), lines())
        shadowOf(phone.first).setCallState(TelephonyManager.CALL_STATE_RINGING)
        shadowOf(phone.first).setCallState(TelephonyManager.CALL_STATE_IDLE)
        assertEquals(listOf(line(0, CallState.RINGING, incoming = true), line(0, CallState.IDLE)), lines())
    }

    @Test
    fun watching_again_changes_nothing_and_stopping_ends_it() {
        watcher.watch()
        facts.all()
        watcher.watch()
        assertEquals(emptyList<RadioFact>(), facts.all())
        watcher.stop()
        shadowOf(phone.first).setCallState(TelephonyManager.CALL_STATE_RINGING)
        assertEquals(emptyList<RadioFact>(), facts.all())
    }

    @Test
    fun a_sim_that_is_gone_is_watched_no_more() {
        watcher.watch()
        facts.all()
        slots.remove(1)
        watcher.watch()
        shadowOf(phone.second).setCallState(TelephonyManager.CALL_STATE_RINGING)
        shadowOf(phone.first).setCallState(TelephonyManager.CALL_STATE_OFFHOOK)
        assertEquals(listOf(line(0, CallState.OFF_HOOK)), lines())
    }

    @Test
    fun a_permission_that_comes_later_is_enough_then() {
        revoke(READ_PHONE_STATE)
        watcher.watch()
        assertEquals(emptyList<RadioFact>(), facts.all())
        grant(READ_PHONE_STATE)
        watcher.watch()
        assertEquals(2, lines().size)
    }

    @Test
    fun the_broadcast_adds_the_number_that_the_line_does_not_tell() {
        receiver.hearOut(broadcast(TelephonyManager.EXTRA_STATE_RINGING, null, SECOND_SUBSCRIPTION))
        receiver.hearOut(broadcast(TelephonyManager.EXTRA_STATE_RINGING, ALICE, SECOND_SUBSCRIPTION))
        receiver.hearOut(broadcast(TelephonyManager.EXTRA_STATE_OFFHOOK, ALICE, SECOND_SUBSCRIPTION))
        receiver.hearOut(broadcast(TelephonyManager.EXTRA_STATE_IDLE, "", SECOND_SUBSCRIPTION))
        val told = listOf(
            line(1, CallState.RINGING, incoming = true),
            line(1, CallState.RINGING, ALICE, incoming = true),
            line(1, CallState.OFF_HOOK, ALICE),
            line(1, CallState.IDLE),
        )
        assertEquals(told, facts.all())
    }

    @Test
    fun a_broadcast_for_all_sims_is_of_the_line_that_is_in_that_state() {
        shadowOf(phone.second).setCallState(TelephonyManager.CALL_STATE_RINGING)
        receiver.hearOut(broadcast(TelephonyManager.EXTRA_STATE_RINGING, ALICE, null))
        assertEquals(listOf(line(1, CallState.RINGING, ALICE, incoming = true)), facts.all())
        shadowOf(phone.first).setCallState(TelephonyManager.CALL_STATE_RINGING)
        receiver.hearOut(broadcast(TelephonyManager.EXTRA_STATE_RINGING, ALICE, null))
        assertEquals(emptyList<RadioFact>(), facts.all())
        slots.remove(1)
        receiver.hearOut(broadcast(TelephonyManager.EXTRA_STATE_OFFHOOK, ALICE, null))
        assertEquals(listOf(line(0, CallState.OFF_HOOK, ALICE)), facts.all())
    }

    @Test
    fun what_is_no_state_of_a_line_in_use_tells_nothing() {
        receiver.hearOut(broadcast("OTHER", ALICE, SECOND_SUBSCRIPTION))
        receiver.hearOut(broadcast(TelephonyManager.EXTRA_STATE_RINGING, ALICE, 99))
        receiver.hearOut(broadcast(TelephonyManager.EXTRA_STATE_RINGING, ALICE, SECOND_SUBSCRIPTION).setAction("other"))
        assertEquals(emptyList<RadioFact>(), facts.all())
    }

    private fun lines() = facts.all().filterIsInstance<RadioFact.CallState>()

    private fun line(slot: Int, state: CallState, number: String? = null, incoming: Boolean? = null) =
        RadioFact.CallState(slot.toUByte(), state, number, incoming)

    private fun broadcast(state: String, number: String?, subscription: Int?): Intent {
        val intent = Intent(TelephonyManager.ACTION_PHONE_STATE_CHANGED).putExtra(TelephonyManager.EXTRA_STATE, state)
        number?.let { intent.putExtra("incoming_number", it) }
        subscription?.let { intent.putExtra("android.telephony.extra.SUBSCRIPTION_INDEX", it) }
        return intent
    }
}
