package org.postrider.agent.screens

import android.widget.EditText
import android.widget.RadioButton
import org.junit.Assert.assertEquals
import org.junit.Assert.assertFalse
import org.junit.Assert.assertNull
import org.junit.Assert.assertTrue
import org.junit.Test
import org.junit.runner.RunWith
import org.postrider.agent.R
import org.postrider.agent.device.Permit
import org.postrider.core.Alert
import org.postrider.core.AlertKind
import org.postrider.core.Command
import org.postrider.core.HubSettings
import org.postrider.core.SimQueue
import org.postrider.core.WaitChoice
import org.robolectric.RobolectricTestRunner
import org.robolectric.Shadows.shadowOf
import org.robolectric.annotation.Config

@RunWith(RobolectricTestRunner::class)
@Config(application = ScreensApp::class)
class SimsActivityTest {
    private fun sims() = open(SimsActivity::class.java)

    @Test
    fun `each SIM says its network, its number and what it is at the hub`() {
        fake.status = pairedStatus()
        val screen = sims().get()
        for (text in listOf(
            screen.getString(R.string.sim_of, 1, "Example Mobile"), screen.getString(R.string.sim_number, "+15005550001"),
            screen.getString(R.string.sim_phone_id, "PH0000000000000001"), screen.getString(R.string.sim, 2),
            screen.getString(R.string.sim_number_unknown), screen.getString(R.string.sim_no_phone_id),
        )) assertTrue(text, text in screen.texts())
    }

    @Test
    fun `a typed number is kept without its spaces, and nothing forgets it`() {
        fake.status = pairedStatus()
        val screen = sims().get()
        screen.type(R.id.sim_number_1, "+1 (500) 555-0002")
        screen.click(R.string.save_number, 2)
        assertEquals("+15005550002", fake.settings.typedNumber(1u))
        assertNull(fake.settings.typedNumber(0u))
        assertTrue(screen.says(R.string.number_saved))
        screen.type(R.id.sim_number_1, "")
        screen.click(R.string.save_number, 2)
        assertNull(fake.settings.typedNumber(1u))
    }

    @Test
    fun `a number without its country is refused and stays in the field`() {
        fake.status = pairedStatus()
        val controller = sims()
        controller.get().type(R.id.sim_number_1, "5005550002")
        controller.get().click(R.string.save_number, 2)
        assertNull(fake.settings.typedNumber(1u))
        controller.recreate()
        assertTrue(controller.get().says(R.string.number_refused))
        assertEquals("5005550002", controller.get().requireViewById<EditText>(R.id.sim_number_1).text.toString())
    }

    @Test
    fun `a SIM that was changed can be confirmed here, too`() {
        fake.status = pairedStatus().copy(alerts = listOf(Alert(AlertKind.SIM_CHANGED, 1u, 0)))
        sims().get().click(R.string.use_this_sim)
        assertEquals(listOf(Command.ConfirmSim(1u)), fake.commands)
    }

    @Test
    fun `what the hub has set for a SIM is shown with it`() {
        val waits = WaitChoice(60_000uL, 300_000uL, 86_400_000uL)
        val open = HubSettings(null, null, WaitChoice(null, null, null), byteArrayOf())
        val queues = listOf(
            SimQueue(0u, 0u, null, emptyList(), HubSettings(30u, 50u, waits, byteArrayOf(1, 99))), SimQueue(1u, 0u, null, emptyList(), open),
        )
        fake.status = pairedStatus().copy(queues = queues)
        val screen = sims().get()
        for ((text, value) in listOf(
            R.string.hub_parts_per_hour to 30, R.string.hub_phone_parts_per_hour to 50, R.string.hub_wait_silence to 60,
            R.string.hub_wait_unknown to 300, R.string.hub_wait_reports to 24,
        )) assertEquals(listOf(screen.getString(text, value)), screen.texts().filter { it == screen.getString(text, value) })
        assertTrue(screen.says(R.string.hub_shift_tables, "Turkish"))
        fake.status = pairedStatus().copy(queues = queues.drop(1))
        screen.show()
        assertFalse(screen.says(R.string.hub_parts_per_hour, 30))
    }

    @Test
    fun `delivery reports are the hub's to say until the owner says otherwise, for each SIM`() {
        fake.status = pairedStatus()
        val screen = sims().get()
        val choices = screen.views().filterIsInstance<RadioButton>().toList()
        assertEquals(listOf(true, false, false, true, false, false), choices.map { it.isChecked })
        choices[5].performClick()
        settle()
        assertEquals(false, fake.settings.reports(1u))
        assertNull(fake.settings.reports(0u))
        screen.views().filterIsInstance<RadioButton>().toList()[3].performClick()
        settle()
        assertNull(fake.settings.reports(1u))
    }

    @Test
    fun `without a SIM the reason is there`() {
        assertTrue(sims().get().says(R.string.permit_sims_without))
        shadowOf(app).grantPermissions(*Permit.SIMS.permissions.toTypedArray())
        assertTrue(sims().get().says(R.string.no_sims))
    }
}
