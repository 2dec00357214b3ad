package org.postrider.agent

import android.os.SystemClock
import org.postrider.agent.service.GatewayService
import org.postrider.agent.service.Watchdog
import org.postrider.core.AgentException
import org.postrider.core.AlertKind
import org.postrider.core.Fact
import org.postrider.core.Restarts
import org.postrider.core.Stopped

/**
 * Runs the agent: starts and stops it with its watchers, and restarts it after a failure.
 *
 * Everything runs on the host's thread, unless it says otherwise.
 */
internal class Runner(
    private val parts: HostParts,
    private val life: AgentLife,
    private val refresher: Refresher,
    private val hub: () -> Hub,
) {
    /** The hub that it runs for. */
    interface Hub {
        /** On any thread: whether the phone has joined it. */
        val isJoined: Boolean

        /** The phone has left it, or it has dropped the phone; [alert] says why. */
        fun gone(alert: AlertKind?)

        /** Returns whether the key is lost; if so, remembers it. */
        fun losesKey(): Boolean
    }

    private val context get() = parts.context
    private val thread get() = parts.thread
    private val restarts = Restarts()

    /** On any thread: whether the service holds the process in the foreground. */
    @Volatile
    var isInForeground = false

    /** On any thread: returns whether the agent should run: the phone is paired, and its owner has not stopped it. */
    fun mayRun(): Boolean = !parts.settings.stoppedByOwner && hub().isJoined

    /** On any thread: starts the agent and its service, if it [mayRun]; returns whether it may. */
    fun ensureRunning(): Boolean {
        if (!mayRun()) return false
        startService()
        if (life.run != Run.IN_FULL) thread.post(::runInFull)
        return true
    }

    /** On any thread. If the platform refuses in the background, it may allow it at the next alarm. */
    fun startService() {
        if (!isInForeground) GatewayService.start(context)
    }

    fun runInFull() {
        if (!mayRun() || restarts.isWaiting(bootMs())) return
        life.start(Run.IN_FULL)?.let(::failToStart) ?: begin()
    }

    /** On any thread: starts the agent for a fact that comes only once; returns whether it runs. */
    fun runForKeeps(): Boolean {
        if (!hub().isJoined) return false
        val wanted = if (parts.settings.stoppedByOwner) Run.FOR_KEEPS else Run.IN_FULL
        val failure = life.start(wanted)
        thread.post {
            when {
                failure != null -> failToStart(failure)
                wanted == Run.IN_FULL -> begin()
                else -> stopSoon()
            }
        }
        return failure == null
    }

    /** Starts it to leave its hub, even if the owner stopped it; returns why it does not run. */
    fun runToLeave(): AgentException? {
        val failure = life.start(Run.IN_FULL)
        failure?.let(::failToStart) ?: begin()
        return failure
    }

    /** Starts the service and the watchers of an agent that runs in full. */
    private fun begin() {
        if (!life.listen()) return
        startService()
        Watchdog.begin(context)
        restarts.began(bootMs())
        parts.book.tell(Fact.Started)
        refresher.now()
    }

    private fun stopSoon() {
        thread.forget(FOR_KEEPS)
        thread.postLater(FOR_KEEPS, FOR_KEEPS_MS) { if (life.run == Run.FOR_KEEPS) stop() }
    }

    fun stop() {
        life.stop()
        parts.board.clear()
    }

    /** Stops for good: nothing checks any more whether it runs. */
    fun end() {
        stop()
        waitNoLonger()
        Watchdog.end(context)
        parts.wakefulness.rest()
    }

    /** Somebody has fixed something: a delayed start happens now. */
    fun waitNoLonger() {
        restarts.forget()
        thread.forget(RESTART)
    }

    /** The agent has stopped by itself. */
    fun over(why: Stopped) {
        if (!life.ended()) return
        parts.board.clear()
        when (why) {
            is Stopped.Failed -> failed()
            Stopped.Revoked -> hub().gone(AlertKind.PAIRED_ELSEWHERE)
            Stopped.JournalNotTrusted -> hub().gone(AlertKind.JOURNAL_NOT_TRUSTED)
            is Stopped.Unpaired -> hub().gone(null)
        }
        parts.board.changed()
    }

    private fun failToStart(why: AgentException) {
        Trouble.failed("starting", why)
        when (why) {
            is AgentException.Running -> Unit
            // If it ended by itself, `over` says why in a moment.
            is AgentException.NotPaired -> if (life.run == Run.NOT) hub().gone(null)
            is AgentException.JournalSetAside -> hub().gone(AlertKind.JOURNAL_SET_ASIDE)
            is AgentException.KeyLost -> if (!hub().losesKey()) failed()
            else -> failed()
        }
        parts.board.changed()
    }

    /** It restarts later; the alarm wakes the phone for it. */
    private fun failed() {
        val next = restarts.failed(bootMs())
        parts.book.tell(Fact.FailedToRun(next.isForOwner))
        thread.forget(RESTART)
        thread.postLater(RESTART, next.inMs.toLong(), ::ensureRunning)
        parts.wakefulness.rest(next.at.toLong())
    }

    private fun bootMs() = SystemClock.elapsedRealtime().toULong()

    private companion object {
        /** How long an agent that was started for a fact waits for more. */
        const val FOR_KEEPS_MS = 10_000L
        const val FOR_KEEPS = "for keeps"
        const val RESTART = "restart"
    }
}
