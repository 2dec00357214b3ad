package org.postrider.agent.service

import android.content.Context
import android.os.PowerManager

/** Keeps the phone awake from a wake-up until the agent has acted on it; by itself it ends after ten seconds. */
internal object WakeUpLock {
    private const val LIMIT_MS = 10_000L

    /** Takes a lock of its own; none where the phone has nothing to keep it awake with. */
    fun take(context: Context): PowerManager.WakeLock? = context.getSystemService(PowerManager::class.java)
        ?.newWakeLock(PowerManager.PARTIAL_WAKE_LOCK, "postrider:wake")
        // Whoever releases what ended by itself makes no mistake.
        ?.apply { setReferenceCounted(false) }
        ?.apply { acquire(LIMIT_MS) }
}
