package org.postrider.agent

import android.os.Handler
import android.os.HandlerThread
import android.os.Looper
import android.os.SystemClock

/** The host's own thread, which starts and stops the agent in order, and the way to the main thread. */
internal class HostThread {
    private val thread = HandlerThread("host").apply { start() }
    private val main = Handler(Looper.getMainLooper())

    /** Receives what the platform reports. */
    val handler = Handler(thread.looper)

    /** Runs work soon, in order. */
    fun post(work: () -> Unit) {
        handler.post(work)
    }

    /** Runs work later, unless [forget] is called with its name before. */
    fun postLater(name: Any, delayMs: Long, work: () -> Unit) {
        handler.postAtTime(work, name, SystemClock.uptimeMillis() + delayMs)
    }

    /** Cancels delayed work. */
    fun forget(name: Any) = handler.removeCallbacksAndMessages(name)

    /** Runs work on the main thread. */
    fun onMain(work: () -> Unit) {
        main.post(work)
    }

    /** Ends after all pending work, and waits for that. */
    fun end() {
        thread.quitSafely()
        thread.join(END_MS)
    }

    private companion object {
        const val END_MS = 10_000L
    }
}
