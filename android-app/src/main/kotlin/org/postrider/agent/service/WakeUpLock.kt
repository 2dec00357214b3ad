package org.postrider.agent.service

import android.content.Context
import android.os.PowerManager

/** Keeps the phone awake from a wake-up until the agent has acted on it; it ends by itself after ten seconds. */
internal object WakeUpLock {
    private const val LIMIT_MS = 10_000L

    /** Acquires a lock; null if the phone has no power manager. */
    fun take(context: Context): PowerManager.WakeLock? = context.getSystemService(PowerManager::class.java)
        ?.newWakeLock(PowerManager.PARTIAL_WAKE_LOCK, "postrider:wake")
        // It may be released after it has ended by itself.
        ?.apply { setReferenceCounted(false) }
        ?.apply { acquire(LIMIT_MS) }
}
