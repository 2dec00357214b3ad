package org.postrider.agent.screens

import android.app.TimePickerDialog
import android.content.DialogInterface
import android.widget.EditText
import android.widget.RadioButton
import org.junit.Assert.assertEquals
import org.junit.Assert.assertFalse
import org.junit.Assert.assertTrue
import org.junit.Before
import org.junit.Test
import org.junit.runner.RunWith
import org.postrider.agent.GuardChoice
import org.postrider.agent.QuietHours
import org.postrider.agent.R
import org.postrider.agent.WaitTimes
import org.postrider.agent.device.Permit
import org.postrider.core.WaitChoice
import org.robolectric.RobolectricTestRunner
import org.robolectric.Shadows.shadowOf
import org.robolectric.annotation.Config
import org.robolectric.shadows.ShadowDialog

@RunWith(RobolectricTestRunner::class)
@Config(application = ScreensApp::class)
class SettingsActivityTest {
    private val screen by lazy { open(SettingsActivity::class.java).get() }

    @Before
    fun `a phone at work`() {
        fake.status = pairedStatus()
    }

    @Test
    fun `each switch sets what it says`() {
        for ((switch, value) in listOf<Pair<Int, () -> Boolean?>>(
            R.id.paused to { fake.settings.paused },
            R.id.forwarding to { fake.settings.isForwarding },
            R.id.ussd_codes to { fake.settings.allowUssdCodes },
            R.id.quiet_hours to { fake.settings.isQuiet },
        )) {
            assertFalse(screen.isOn(switch))
            screen.requireViewById<android.view.View>(switch).performClick()
            settle()
            assertEquals(true, value())
            assertTrue(screen.isOn(switch))
            screen.requireViewById<android.view.View>(switch).performClick()
            settle()
            assertEquals(false, value())
        }
    }

    @Test
    fun `forwarding without the permission says what is missing`() {
        fake.settings.isForwarding = true
        assertTrue(screen.says(Permit.RECEIVE.without))
        screen.click(R.string.permissions)
        assertEquals(PermissionsActivity::class.java.name, shadowOf(screen).nextStartedActivity.component?.className)
        shadowOf(app).grantPermissions(*Permit.RECEIVE.permissions.toTypedArray())
        screen.show()
        assertFalse(screen.says(Permit.RECEIVE.without))
    }

    @Test
    fun `the phone as a whole may have a limit of its own, or none`() {
        assertEquals(null, fake.settings.limits().phonePartsPerHour)
        screen.type(R.id.phone_parts_per_hour, "many")
        screen.click(R.string.save_parts)
        assertTrue(screen.says(R.string.parts_refused))
        screen.type(R.id.phone_parts_per_hour, "90")
        screen.click(R.string.save_parts)
        assertEquals(90u, fake.settings.limits().phonePartsPerHour)
        assertEquals(1_500u, fake.settings.limits().simPartsPerHour)
        screen.type(R.id.phone_parts_per_hour, "")
        screen.click(R.string.save_parts)
        assertEquals(null, fake.settings.limits().phonePartsPerHour)
    }

    @Test
    fun `the shift tables of one language may be chosen, or none, or left to the hub`() {
        val choices = { screen.views().filterIsInstance<RadioButton>().toList().drop(GuardChoice.values().size) }
        val turkish = app.resources.getStringArray(R.array.shift_table_languages)[0]
        for ((name, language) in listOf(
            turkish to 1, app.getString(R.string.shift_tables_none) to 0, app.getString(R.string.shift_tables_by_hub) to null,
        )) {
            choices().single { it.text.toString() == name }.performClick()
            settle()
            assertEquals(language, fake.settings.shiftTable)
            assertEquals(listOf(name), choices().filter { it.isChecked }.map { it.text.toString() })
        }
    }

    @Test
    fun `times to wait are kept within reason`() {
        fun save(silence: String, unknown: String, reports: String) {
            screen.type(R.id.wait_silence, silence)
            screen.type(R.id.wait_unknown, unknown)
            screen.type(R.id.wait_reports, reports)
            screen.click(R.string.save_waits)
        }
        for ((silence, unknown, reports) in listOf(
            Triple("29", "10", "72"), Triple("601", "10", "72"), Triple("120", "1441", "72"), Triple("120", "10", "0"),
            Triple("120", "10", "337"), Triple("", "0", ""), Triple("2 min", "10", "72"),
        )) {
            save(silence, unknown, reports)
            assertTrue("$silence $unknown $reports", screen.says(R.string.waits_refused))
            assertEquals(WaitTimes.NONE, fake.settings.waits)
        }
        save("60", "5", "24")
        assertTrue(screen.says(R.string.waits_saved))
        assertEquals(WaitChoice(60_000uL, 300_000uL, 86_400_000uL), fake.settings.waits.waits())
        save("900", "", "")
        assertEquals(WaitChoice(900_000uL, null, null), fake.settings.waits.waits())
    }

    @Test
    fun `the limit is a number that makes sense`() {
        assertEquals("1500", screen.requireViewById<EditText>(R.id.parts_per_hour).text.toString())
        for (wrong in listOf("", "0", "100001", "99999999999")) {
            screen.type(R.id.parts_per_hour, wrong)
            screen.click(R.string.save_parts)
            assertTrue(wrong, screen.says(R.string.parts_refused))
            assertEquals(1500, fake.settings.partsPerHour)
        }
        screen.type(R.id.parts_per_hour, "60")
        screen.click(R.string.save_parts)
        assertTrue(screen.says(R.string.parts_saved))
        assertEquals(60, fake.settings.partsPerHour)
    }

    @Test
    fun `the guard of this phone is one of three`() {
        val choices = screen.views().filterIsInstance<RadioButton>().toList().take(GuardChoice.values().size)
        assertEquals(listOf(true, false, false), choices.map { it.isChecked })
        choices[1].performClick()
        settle()
        assertEquals(GuardChoice.STRICT, fake.settings.guard)
        assertEquals(listOf(false, true, false), choices.map { it.isChecked })
    }

    @Test
    fun `quiet hours are picked by the clock, and begin and end at different times`() {
        fake.settings.isQuiet = true
        val times = Times(app)
        screen.pick(R.string.quiet_from, times.ofDay(22 * 60), 21, 45)
        screen.pick(R.string.quiet_until, times.ofDay(7 * 60), 6, 5)
        val picked = QuietHours(21 * 60 + 45, 6 * 60 + 5)
        assertEquals(picked, fake.settings.quietHours)
        assertFalse(screen.says(R.string.quiet_refused))
        screen.pick(R.string.quiet_until, times.ofDay(picked.until), 21, 45)
        assertTrue(screen.says(R.string.quiet_refused))
        assertEquals(picked, fake.settings.quietHours)
        screen.pick(R.string.quiet_from, times.ofDay(picked.from), 20, 0)
        assertFalse(screen.says(R.string.quiet_refused))
        fake.settings.isQuiet = false
        screen.show()
        assertFalse(screen.says(R.string.quiet_until, times.ofDay(picked.until)))
    }

    private fun SettingsActivity.pick(button: Int, now: String, hour: Int, minute: Int) {
        click(button, now)
        val dialog = ShadowDialog.getLatestDialog() as TimePickerDialog
        dialog.updateTime(hour, minute)
        dialog.getButton(DialogInterface.BUTTON_POSITIVE).performClick()
        settle()
    }

    @Test
    fun `stop and start`() {
        screen.click(R.string.stop)
        assertTrue(screen.says(R.string.stopped_by_owner))
        screen.click(R.string.start)
        assertFalse(screen.says(R.string.stopped_by_owner))
        assertEquals(listOf("stop", "start"), fake.asked)
    }

    @Test
    fun `leaving the hub is asked first, and its progress shown`() {
        screen.clickLeave()
        assertTrue(screen.says(R.string.unpair_really, HUB))
        screen.click(R.string.unpair_no)
        assertEquals(emptyList<String>(), fake.asked)
        screen.clickLeave()
        screen.click(R.string.unpair_yes)
        assertEquals(listOf("unpair"), fake.asked)
        assertTrue(screen.says(R.string.leaving, HUB))
        fake.change { unpairedStatus() }
        assertFalse(screen.says(R.string.leaving, HUB))
    }

    @Test
    fun `turning the phone keeps the question and what was typed`() {
        val controller = open(SettingsActivity::class.java)
        controller.get().type(R.id.parts_per_hour, "77")
        controller.get().clickLeave()
        controller.recreate()
        assertTrue(controller.get().says(R.string.unpair_really, HUB))
        assertEquals("77", controller.get().requireViewById<EditText>(R.id.parts_per_hour).text.toString())
    }

    /** The button; its heading says the same. */
    private fun SettingsActivity.clickLeave() = click(R.string.unpair)
}
