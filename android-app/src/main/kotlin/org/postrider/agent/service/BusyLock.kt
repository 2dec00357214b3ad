package org.postrider.agent.service

import android.content.Context
import android.os.PowerManager

/**
 * Keeps the phone awake while a message is in hand.
 *
 * It ends by itself after [LIMIT_MS], so that something that hangs cannot empty the battery; progress renews it.
 */
class BusyLock(context: Context) {
    private val lock = context.getSystemService(PowerManager::class.java)
        ?.newWakeLock(PowerManager.PARTIAL_WAKE_LOCK, "postrider:message")
        ?.apply { setReferenceCounted(false) }

    /** Whether the phone is kept awake. */
    val isHeld: Boolean get() = lock?.isHeld == true

    /** Keeps it awake from now on, or lets it sleep. */
    @Synchronized
    fun hold(isBusy: Boolean) {
        if (isBusy) lock?.acquire(LIMIT_MS) else if (isHeld) lock?.release()
    }

    private companion object {
        /** Longer than any wait for which the agent wants to be awake. */
        const val LIMIT_MS = 3 * 60_000L
    }
}
