package org.postrider.agent.device

import android.Manifest.permission.READ_PHONE_NUMBERS
import android.Manifest.permission.READ_PHONE_STATE
import android.app.Application
import android.telephony.SubscriptionInfo
import android.telephony.SubscriptionManager
import org.junit.Assert.assertEquals
import org.junit.Assert.assertFalse
import org.junit.Assert.assertNotEquals
import org.junit.Assert.assertNull
import org.junit.Before
import org.junit.Test
import org.junit.runner.RunWith
import org.postrider.agent.Settings
import org.robolectric.RobolectricTestRunner
import org.robolectric.RuntimeEnvironment
import org.robolectric.Shadows.shadowOf
import org.robolectric.annotation.Config
import org.robolectric.shadows.ShadowSubscriptionManager
import org.robolectric.shadows.ShadowSubscriptionManager.SubscriptionInfoBuilder

@RunWith(RobolectricTestRunner::class)
class SimReaderTest {
    private val context = RuntimeEnvironment.getApplication()
    private val platform = shadowOf(context.getSystemService(SubscriptionManager::class.java))
    private val reader = SimReader(context)

    @Before
    fun setUp() = shadowOf(context as Application).grantPermissions(READ_PHONE_STATE, READ_PHONE_NUMBERS)

    private fun sim(id: Int, slot: Int): SubscriptionInfo = SubscriptionInfoBuilder.newBuilder()
        .setId(id).setSimSlotIndex(slot).setCarrierName("Reserved Mobile").setCountryIso("us").buildSubscriptionInfo()

    @Test
    @Config(sdk = [33, 35, 36])
    fun `SIMs are told by slot, with what the platform knows of them`() {
        shadowOf(Phones.of(7)).setSimOperator("00101")
        platform.setActiveSubscriptionInfos(sim(7, 1), sim(3, 0))
        platform.setPhoneNumber(7, "+15005550101")
        val sims = reader.sims()
        assertEquals(listOf<UByte>(0u, 1u), sims.map { it.slot })
        assertEquals("+15005550101", sims[1].number)
        assertEquals("Reserved Mobile", sims[1].carrier)
        assertEquals("00101", sims[1].mccmnc)
        assertNull(sims[0].number)
        assertEquals(1.toUByte(), reader.slotOf(7))
        assertEquals(3, reader.subscriptionOf(0u))
        assertNull(reader.slotOf(8))
        assertNull(reader.subscriptionOf(2u))
    }

    @Test
    fun `the owner's number goes before the SIM's`() {
        platform.setActiveSubscriptionInfos(sim(3, 0))
        platform.setPhoneNumber(3, "+15005550101")
        Settings(context).setTypedNumber(0u, "+15005550102")
        assertEquals("+15005550102", reader.sims().single().number)
    }

    @Test
    fun `a SIM is known again by its fingerprint, which does not name it`() {
        platform.setActiveSubscriptionInfos(sim(3, 0))
        val first = reader.sims().single().fingerprint!!
        platform.setActiveSubscriptionInfos(sim(4, 0))
        val other = reader.sims().single().fingerprint!!
        platform.setActiveSubscriptionInfos(sim(3, 1))
        assertNotEquals(first, other)
        assertEquals(first, SimReader(context).sims().single().fingerprint)
        context.getSharedPreferences("fingerprints", 0).edit().clear().commit()
        assertNotEquals(first, SimReader(context).sims().single().fingerprint)
        assertEquals(16, first.length)
    }

    @Test
    fun `a fingerprint is the same while the network's name is not known yet`() {
        val nameless = SubscriptionInfoBuilder.newBuilder().setId(3).setSimSlotIndex(0).buildSubscriptionInfo()
        platform.setActiveSubscriptionInfos(nameless)
        val early = reader.sims().single()
        platform.setActiveSubscriptionInfos(sim(3, 0))
        assertEquals(early.fingerprint, reader.sims().single().fingerprint)
        assertNull(early.carrier)
    }

    @Test
    fun `without the permission the usual SIM is told, the same as with it`() {
        platform.setActiveSubscriptionInfos(sim(3, 0))
        val known = reader.sims().single()
        shadowOf(context as Application).denyPermissions(READ_PHONE_STATE, READ_PHONE_NUMBERS)
        ShadowSubscriptionManager.setDefaultSmsSubscriptionId(3)
        ShadowSubscriptionManager.putPhoneId(3, 0)
        val usual = reader.sims().single()
        assertEquals(known.fingerprint, usual.fingerprint)
        assertEquals(known.slot, usual.slot)
        ShadowSubscriptionManager.setDefaultSmsSubscriptionId(SubscriptionManager.INVALID_SUBSCRIPTION_ID)
        assertEquals(0, reader.sims().size)
    }

    @Test
    fun `a number is not asked for without its permission`() {
        shadowOf(context as Application).denyPermissions(READ_PHONE_NUMBERS)
        platform.setActiveSubscriptionInfos(sim(3, 0))
        platform.setPhoneNumber(3, "+15005550101")
        assertNull(reader.sims().single().number)
    }

    @Test
    fun `a SIM that is in no slot is none of ours`() {
        platform.setActiveSubscriptionInfos(sim(3, SubscriptionManager.INVALID_SIM_SLOT_INDEX), sim(4, 0))
        assertEquals(listOf<UByte>(0u), reader.sims().map { it.slot })
        assertFalse(reader.sims().isEmpty())
    }
}
