package org.postrider.agent.service

import android.app.AlarmManager
import android.app.PendingIntent
import android.content.Context
import android.content.Intent
import android.os.Build
import android.os.SystemClock
import org.postrider.agent.Trouble

/** The one alarm that wakes the phone when the agent wants to run, exact if the platform allows it. */
class WakeAlarm(private val context: Context) {
    private val alarms = context.getSystemService(AlarmManager::class.java)
    private var at: Long? = null

    /** Sets it to a time of the clock that counts sleep, or removes it. */
    @Synchronized
    fun set(elapsedMs: Long?) {
        if (elapsedMs != at) put(elapsedMs)
    }

    /** Sets it again: it went off early, or may be exact now. A past time is not set again. */
    @Synchronized
    fun setAgain() = put(at?.takeIf { it > SystemClock.elapsedRealtime() })

    private fun put(elapsedMs: Long?) {
        at = elapsedMs
        if (elapsedMs == null) alarms?.cancel(intent()) else arm(elapsedMs)
    }

    private fun arm(elapsedMs: Long) {
        try {
            if (mayBeExact()) {
                alarms?.setExactAndAllowWhileIdle(AlarmManager.ELAPSED_REALTIME_WAKEUP, elapsedMs, intent())
                return
            }
        } catch (error: SecurityException) {
            // The permission was taken away in between.
            Trouble.failed("setting an exact alarm", error)
        }
        alarms?.setAndAllowWhileIdle(AlarmManager.ELAPSED_REALTIME_WAKEUP, elapsedMs, intent())
    }

    private fun mayBeExact() = Build.VERSION.SDK_INT < Build.VERSION_CODES.S || alarms?.canScheduleExactAlarms() == true

    private fun intent(): PendingIntent = PendingIntent.getBroadcast(
        context, 0, Intent(context, WakeReceiver::class.java).setAction(WakeReceiver.ACTION_ALARM),
        PendingIntent.FLAG_IMMUTABLE or PendingIntent.FLAG_UPDATE_CURRENT,
    )
}
