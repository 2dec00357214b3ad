package org.postrider.agent.service

import org.postrider.core.Outlook

/** Applies the agent's outlook to the phone's sleep: an alarm, and a wake lock. */
class Wakefulness(private val alarm: WakeAlarm, private val lock: BusyLock) {
    private var last = ASLEEP

    /** Applies another outlook; quick enough for the agent's own thread. */
    @Synchronized
    fun take(outlook: Outlook) {
        last = outlook
        lock.hold(outlook.isBusy)
        alarm.set(outlook.wakeAt?.toLong())
    }

    /** The alarm went off, or may be exact now; the outlook is unchanged. */
    @Synchronized
    fun renew() {
        lock.hold(last.isBusy)
        alarm.setAgain()
    }

    /** Nothing runs: the phone may sleep, and is woken only to try again. */
    fun rest(tryAgainAtMs: Long? = null) = take(Outlook(tryAgainAtMs?.toULong(), false))

    private companion object {
        val ASLEEP = Outlook(null, false)
    }
}
