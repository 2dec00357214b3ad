package org.postrider.agent

import org.junit.Assert.assertEquals
import org.junit.Assert.assertTrue
import org.junit.Test
import org.postrider.core.Spell
import java.util.Calendar
import java.util.GregorianCalendar
import java.util.TimeZone

class QuietHoursTest {
    private val night = QuietHours(22 * 60, 7 * 60)

    private fun utc(month: Int, day: Int, hour: Int, minute: Int = 0): Long =
        GregorianCalendar(TimeZone.getTimeZone("UTC")).run {
            clear()
            set(2026, month - 1, day, hour, minute)
            timeInMillis
        }

    private fun QuietHours.first(nowMs: Long, zone: TimeZone = PARIS): Spell = spells(nowMs, zone).first()

    @Test
    fun `hours over midnight end on the next day, and the night that has begun is among them`() {
        val tonight = Spell(utc(6, 1, 20), utc(6, 2, 5))
        for (now in listOf(utc(6, 1, 10), utc(6, 1, 20), utc(6, 1, 23), utc(6, 2, 4, 59))) {
            assertEquals(tonight, night.first(now))
        }
        assertEquals(Spell(utc(6, 2, 20), utc(6, 3, 5)), night.first(utc(6, 2, 5)))
    }

    @Test
    fun `hours within a day begin and end on it`() {
        val lunch = QuietHours(12 * 60 + 30, 14 * 60)
        assertEquals(Spell(utc(1, 5, 11, 30), utc(1, 5, 13)), lunch.first(utc(1, 5, 0)))
        assertEquals(Spell(utc(1, 6, 11, 30), utc(1, 6, 13)), lunch.first(utc(1, 5, 13)))
    }

    @Test
    fun `they reach a fortnight ahead, and are no more than the core takes`() {
        val spells = night.spells(utc(6, 1, 10), PARIS)
        assertTrue(spells.last().until >= utc(6, 15, 0) && spells.size <= 64)
        assertEquals(spells.sortedBy { it.from }, spells)
    }

    @Test
    fun `a time that clocks skip is the moment of the skip`() {
        assertEquals(utc(3, 29, 1), QuietHours(2 * 60 + 30, 6 * 60).first(utc(3, 29, 0)).from)
        assertEquals(utc(3, 29, 1), QuietHours(22 * 60, 2 * 60 + 30).first(utc(3, 29, 0)).until)
    }

    @Test
    fun `of a time that comes twice the earlier begins and the later ends`() {
        assertEquals(utc(10, 25, 0, 30), QuietHours(2 * 60 + 30, 6 * 60).first(utc(10, 25, 0)).from)
        assertEquals(utc(10, 25, 1, 30), QuietHours(22 * 60, 2 * 60 + 30).first(utc(10, 25, 0)).until)
    }

    @Test
    fun `whatever hour a clock on the wall calls quiet is quiet, on every day of the year`() {
        val hours = listOf(night, QuietHours(60, 150), QuietHours(150, 60), QuietHours(0, 1), QuietHours(1, 0))
        for (zone in ZONES.map(TimeZone::getTimeZone)) for (quiet in hours) {
            val clock = GregorianCalendar(zone)
            for (now in utc(1, 1, 0)..utc(12, 28, 0) step DAY_MS) {
                val spells = quiet.spells(now, zone)
                for (at in now until now + DAY_MS step STEP_MS) {
                    clock.timeInMillis = at
                    val minute = clock.get(Calendar.HOUR_OF_DAY) * 60 + clock.get(Calendar.MINUTE)
                    if (quiet.holds(minute)) assertTrue("$zone $quiet $at", spells.any { at in it.from until it.until })
                }
            }
        }
    }

    private fun QuietHours.holds(minute: Int) =
        if (from < until) minute in from until until else minute >= from || minute < until

    private companion object {
        val PARIS: TimeZone = TimeZone.getTimeZone("Europe/Paris")
        val ZONES = listOf("Europe/Paris", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "UTC")
        const val DAY_MS = 86_400_000L
        const val STEP_MS = 1_800_000L
    }
}
