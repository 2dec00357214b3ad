package org.postrider.agent.calls

import android.Manifest.permission.CALL_PHONE
import android.Manifest.permission.READ_PHONE_STATE
import android.net.Uri
import android.os.Bundle
import android.telecom.TelecomManager
import org.junit.Assert.assertEquals
import org.junit.Before
import org.junit.Test
import org.junit.runner.RunWith
import org.postrider.agent.radio.ALICE
import org.postrider.agent.radio.FIRST_SUBSCRIPTION
import org.postrider.agent.radio.Facts
import org.postrider.agent.radio.SECOND_SUBSCRIPTION
import org.postrider.agent.radio.Slots
import org.postrider.agent.radio.app
import org.postrider.agent.radio.grant
import org.postrider.agent.radio.revoke
import org.postrider.agent.radio.token
import org.postrider.core.CallRefusal
import org.postrider.core.PlaceCall
import org.postrider.core.RadioFact
import org.robolectric.RobolectricTestRunner
import org.robolectric.Shadows.shadowOf
import org.robolectric.annotation.Config
import org.robolectric.annotation.Implementation
import org.robolectric.annotation.Implements
import org.robolectric.shadows.ShadowTelecomManager

@RunWith(RobolectricTestRunner::class)
class CallPlacerTest {
    private val facts = Facts()
    private val slots = Slots.two()
    private val phone by lazy { TwoLines() }
    private val placer by lazy { CallPlacer(app, PhoneAccounts(app, slots), facts) }

    @Before
    fun allow() {
        grant(CALL_PHONE, READ_PHONE_STATE)
        Unwilling.error = null
    }

    @Test
    fun a_call_goes_by_the_account_of_the_sim_that_was_asked_for() {
        phone.addAccount("3", FIRST_SUBSCRIPTION)
        val second = phone.addAccount("8944000000000000000", SECOND_SUBSCRIPTION)
        placer.place(task(sim = 1))
        val placed = shadowOf(phone.telecom).onlyOutgoingCall
        assertEquals(Uri.fromParts("tel", ALICE, null), placed.address)
        assertEquals(second, placed.extras.getParcelable(TelecomManager.EXTRA_PHONE_ACCOUNT_HANDLE))
        assertEquals(emptyList<RadioFact>(), facts.all())
    }

    @Test
    fun a_call_without_permission_without_account_or_without_sim_is_refused() {
        placer.place(task(sim = 1))
        assertRefused(CallRefusal.NO_ACCOUNT)
        phone.addAccount("7", SECOND_SUBSCRIPTION)
        placer.place(task(sim = 0))
        assertRefused(CallRefusal.NO_ACCOUNT)
        slots.remove(1)
        placer.place(task(sim = 1))
        assertRefused(CallRefusal.NO_ACCOUNT)
        for (permission in listOf(CALL_PHONE, READ_PHONE_STATE)) {
            revoke(permission)
            placer.place(task(sim = 1))
            assertRefused(CallRefusal.NOT_PERMITTED)
            grant(permission)
        }
        assertEquals(0, shadowOf(phone.telecom).allOutgoingCalls.size)
    }

    @Test
    @Config(shadows = [Unwilling::class])
    fun a_call_that_the_platform_refuses_is_told() {
        phone.addAccount("3", FIRST_SUBSCRIPTION)
        Unwilling.error = SecurityException("not from here")
        placer.place(task())
        assertRefused(CallRefusal.NOT_PERMITTED)
        Unwilling.error = IllegalStateException("no")
        placer.place(task())
        assertRefused(CallRefusal.OTHER)
    }

    private fun assertRefused(why: CallRefusal) =
        assertEquals(listOf(RadioFact.CallRefused(token(), why)), facts.all())

    private fun task(sim: Int = 0) = PlaceCall(token(), sim.toUByte(), ALICE)
}

/** A platform that does not place calls. */
@Implements(TelecomManager::class)
class Unwilling : ShadowTelecomManager() {
    @Implementation
    override fun placeCall(address: Uri?, extras: Bundle?) {
        error?.let { throw it }
    }

    companion object {
        var error: RuntimeException? = null
    }
}
