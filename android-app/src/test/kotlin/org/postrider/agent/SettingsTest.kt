package org.postrider.agent

import org.junit.Assert.assertEquals
import org.junit.Assert.assertFalse
import org.junit.Assert.assertNull
import org.junit.Assert.assertTrue
import org.junit.Test
import org.junit.runner.RunWith
import org.postrider.core.Guard
import org.postrider.core.PaceLimits
import org.postrider.core.ReportChoice
import org.robolectric.RobolectricTestRunner
import org.robolectric.RuntimeEnvironment

@RunWith(RobolectricTestRunner::class)
class SettingsTest {
    private val context = RuntimeEnvironment.getApplication()
    private val settings = Settings(context)

    @Test
    fun `a new phone runs at the usual pace and forwards nothing before it asked`() {
        assertFalse(settings.stoppedByOwner)
        assertFalse(settings.paused)
        assertFalse(settings.allowUssdCodes)
        assertFalse(settings.isQuiet)
        assertNull(settings.isForwarding)
        assertEquals(PaceLimits(1_500u, null, Guard(24u, 60_000uL)), settings.limits())
    }

    @Test
    fun `what was set is there for whoever reads it next`() {
        settings.stoppedByOwner = true
        settings.paused = true
        settings.partsPerHour = 0
        settings.isForwarding = false
        settings.allowUssdCodes = true
        settings.guard = GuardChoice.NONE
        settings.isQuiet = true
        settings.quietHours = QuietHours(1, 1_439)
        settings.setTypedNumber(1u, " +15005550101 ")
        settings.setReports(0u, true)
        settings.setReports(1u, false)
        settings.setReports(0u, null)
        settings.waits = WaitTimes(60, 5, 24)
        val read = Settings(context)
        assertTrue(read.stoppedByOwner)
        assertTrue(read.paused)
        assertTrue(read.allowUssdCodes)
        assertEquals(false, read.isForwarding)
        assertEquals(PaceLimits(1u, null, null), read.limits())
        assertTrue(read.isQuiet)
        assertEquals(QuietHours(1, 1_439), read.quietHours)
        assertEquals("+15005550101", read.typedNumber(1u))
        assertNull(read.typedNumber(0u))
        assertEquals(listOf(ReportChoice(1u, false)), read.reportChoices())
        assertEquals(WaitTimes(60, 5, 24), read.waits)
        assertNull(read.shiftTables())
        for ((language, tables) in listOf(0 to emptyList(), 1 to listOf<Byte>(1), null to null)) {
            settings.shiftTable = language
            assertEquals(tables, read.shiftTables()?.toList())
        }
        settings.waits = WaitTimes(60, null, null)
        assertEquals(WaitTimes(60, null, null), read.waits)
    }

    @Test
    fun `what was typed and asked can be taken back`() {
        settings.setTypedNumber(0u, "+15005550100")
        settings.setTypedNumber(0u, " ")
        settings.isForwarding = true
        settings.isForwarding = null
        assertNull(settings.typedNumber(0u))
        assertNull(settings.isForwarding)
    }
}
