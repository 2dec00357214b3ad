package org.postrider.agent

import android.os.Handler
import android.os.HandlerThread
import android.os.Looper
import android.os.SystemClock

/** The host's own thread, where what changes the agent's life is done in order, and the way to the main one. */
internal class HostThread {
    private val thread = HandlerThread("host").apply { start() }
    private val main = Handler(Looper.getMainLooper())

    /** For what the platform says. */
    val handler = Handler(thread.looper)

    /** Does something soon, in order. */
    fun post(work: () -> Unit) {
        handler.post(work)
    }

    /** Does something later, unless [forget] was called with its name before. */
    fun postLater(name: Any, delayMs: Long, work: () -> Unit) {
        handler.postAtTime(work, name, SystemClock.uptimeMillis() + delayMs)
    }

    /** Does not do what was to be done later. */
    fun forget(name: Any) = handler.removeCallbacksAndMessages(name)

    /** Does something on the main thread. */
    fun onMain(work: () -> Unit) {
        main.post(work)
    }

    /** Ends, after what was to be done, and waits for that. */
    fun end() {
        thread.quitSafely()
        thread.join(END_MS)
    }

    private companion object {
        const val END_MS = 10_000L
    }
}
