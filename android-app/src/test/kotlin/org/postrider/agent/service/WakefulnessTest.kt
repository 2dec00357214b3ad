package org.postrider.agent.service

import android.app.AlarmManager
import android.content.Context
import android.os.SystemClock
import org.junit.Assert.assertEquals
import org.junit.Assert.assertFalse
import org.junit.Assert.assertNull
import org.junit.Assert.assertTrue
import org.junit.Test
import org.junit.runner.RunWith
import org.postrider.core.Outlook
import org.robolectric.RobolectricTestRunner
import org.robolectric.RuntimeEnvironment
import org.robolectric.Shadows.shadowOf
import org.robolectric.annotation.Config
import org.robolectric.shadows.ShadowAlarmManager
import org.robolectric.shadows.ShadowPowerManager
import org.robolectric.shadows.ShadowSystemClock
import java.time.Duration

@RunWith(RobolectricTestRunner::class)
class WakefulnessTest {
    private val context: Context = RuntimeEnvironment.getApplication()
    private val alarms = shadowOf(context.getSystemService(AlarmManager::class.java))
    private val lock = BusyLock(context)
    private val wakefulness = Wakefulness(WakeAlarm(context), lock)

    private fun inMs(ms: Long) = (SystemClock.elapsedRealtime() + ms).toULong()

    @Test
    fun `one alarm stands where the outlook says, by the clock that counts sleep`() {
        ShadowAlarmManager.setCanScheduleExactAlarms(true)
        wakefulness.take(Outlook(inMs(90_000), false))
        val at = inMs(60_000)
        wakefulness.take(Outlook(at, false))
        val alarm = alarms.scheduledAlarms.single()
        assertEquals(at.toLong(), alarm.triggerAtMs)
        assertEquals(AlarmManager.ELAPSED_REALTIME_WAKEUP, alarm.type)
        assertTrue(alarm.isAllowWhileIdle)
        assertEquals(0L, alarm.windowLengthMs)
        assertTrue(shadowOf(alarm.operation).isImmutable)
        wakefulness.take(Outlook(null, false))
        assertTrue(alarms.scheduledAlarms.isEmpty())
    }

    @Test
    @Config(sdk = [33, 35, 36])
    fun `without leave for exact alarms it is one that may be late`() {
        ShadowAlarmManager.setCanScheduleExactAlarms(false)
        val at = inMs(60_000)
        wakefulness.take(Outlook(at, false))
        val alarm = alarms.scheduledAlarms.single()
        assertEquals(at.toLong(), alarm.triggerAtMs)
        assertTrue(alarm.isAllowWhileIdle)
        assertTrue(alarm.windowLengthMs != 0L)
        ShadowAlarmManager.setCanScheduleExactAlarms(true)
        wakefulness.renew()
        assertEquals(0L, alarms.scheduledAlarms.single().windowLengthMs)
    }

    @Test
    @Config(sdk = [26, 30])
    fun `where nobody asks for exact alarms it is exact`() {
        ShadowAlarmManager.setCanScheduleExactAlarms(false)
        wakefulness.take(Outlook(inMs(60_000), false))
        assertEquals(0L, alarms.scheduledAlarms.single().windowLengthMs)
    }

    @Test
    fun `an alarm that went off is not set again for the same moment`() {
        wakefulness.take(Outlook(inMs(1_000), false))
        ShadowSystemClock.advanceBy(Duration.ofSeconds(2))
        wakefulness.renew()
        assertNull(alarms.peekNextScheduledAlarm())
    }

    @Test
    fun `the phone is kept awake only while a message is in hand, and never for long by itself`() {
        assertFalse(lock.isHeld)
        wakefulness.take(Outlook(null, true))
        wakefulness.take(Outlook(null, true))
        assertTrue(lock.isHeld)
        val held = ShadowPowerManager.getLatestWakeLock()
        assertEquals("postrider:message", shadowOf(held).tag)
        wakefulness.take(Outlook(null, false))
        assertFalse(held.isHeld)
        wakefulness.take(Outlook(null, true))
        ShadowSystemClock.advanceBy(Duration.ofMinutes(5))
        assertFalse(lock.isHeld)
        wakefulness.renew()
        assertTrue(lock.isHeld)
        wakefulness.rest()
        assertFalse(lock.isHeld)
    }
}
