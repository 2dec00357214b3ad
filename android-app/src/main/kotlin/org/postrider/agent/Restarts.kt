package org.postrider.agent

import android.os.SystemClock
import org.postrider.agent.service.Wakefulness

/** Starts the agent again after it failed, each time later; the alarm wakes a phone that sleeps by then. */
internal class Restarts(private val thread: HostThread, private val wakefulness: Wakefulness) {
    private var failures = 0
    private var beganAtMs = 0L
    private var dueAtMs = 0L

    /** It runs. */
    fun began() {
        beganAtMs = SystemClock.elapsedRealtime()
    }

    /** Plans the next start; returns whether it has failed so often that the owner should know. */
    fun plan(start: () -> Unit): Boolean {
        val now = SystemClock.elapsedRealtime()
        if (beganAtMs != 0L && now - beganAtMs > STEADY_MS) failures = 0
        beganAtMs = 0
        val delayMs = DELAYS_MS[failures.coerceAtMost(DELAYS_MS.lastIndex)]
        failures++
        forget()
        dueAtMs = now + delayMs
        thread.postLater(this, delayMs, start)
        wakefulness.rest(dueAtMs)
        return failures >= FAILURES_SHOWN
    }

    /** Returns whether it is too early for the next start. */
    fun isWaiting(): Boolean = SystemClock.elapsedRealtime() < dueAtMs

    /** Plans none any more: somebody has mended something. */
    fun forget() {
        dueAtMs = 0
        thread.forget(this)
    }

    private companion object {
        val DELAYS_MS = longArrayOf(1_000, 5_000, 30_000, 2 * 60_000, 10 * 60_000)
        const val FAILURES_SHOWN = 3

        /** What ran so long has not failed because of what made it fail before. */
        const val STEADY_MS = 10 * 60_000L
    }
}
