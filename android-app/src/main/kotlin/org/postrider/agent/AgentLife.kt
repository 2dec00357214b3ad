package org.postrider.agent

import org.postrider.agent.device.ConditionReader
import org.postrider.agent.device.DeviceWatch
import org.postrider.agent.device.SimReader
import org.postrider.agent.radio.AndroidRadio
import org.postrider.agent.service.Wakefulness
import org.postrider.core.Agent
import org.postrider.core.AgentException
import org.postrider.core.Command
import org.postrider.core.PhoneState
import org.postrider.core.Spell
import java.util.TimeZone

/** How the agent runs. */
internal enum class Run {
    NOT,

    /** Without a network and without sending, to write down something that the platform reports once. */
    FOR_KEEPS,

    /** With its network and everything that listens to the phone. */
    IN_FULL,
}

/** Starts and stops the agent and its watchers; on any thread, one call after the other. */
internal class AgentLife(
    private val agent: () -> Agent,
    private val settings: Settings,
    private val sims: SimReader,
    private val conditions: ConditionReader,
    private val radio: AndroidRadio,
    private val watch: DeviceWatch,
    private val wakefulness: Wakefulness,
    private val bootCount: () -> UInt?,
) {
    /** How it runs. */
    @Volatile
    var run = Run.NOT
        private set

    private var isWatched = false

    /** Starts it this way, or in full if it runs for keeps; returns why it does not run now. */
    @Synchronized
    fun start(wanted: Run): AgentException? = try {
        if (run == Run.FOR_KEEPS && wanted == Run.IN_FULL) stop()
        if (run == Run.NOT || !agent().isRunning()) begin(wanted)
        null
    } catch (error: AgentException) {
        error
    }

    /** Watches the phone for an agent that runs in full; false when it does already, or there is no agent. */
    @Synchronized
    fun listen(): Boolean {
        if (run != Run.IN_FULL || isWatched) return false
        isWatched = true
        radio.start()
        watch.start()
        return true
    }

    /** The app may read more or less than before. */
    @Synchronized
    fun permissionsChanged() {
        if (run != Run.IN_FULL) return
        watch.permissionsChanged()
        radio.refresh()
    }

    /** Gives the agent the owner's settings. */
    @Synchronized
    fun applySettings() {
        if (run == Run.NOT) return
        // Last: nothing is sent before all settings are known.
        val isPaused = settings.paused || settings.stoppedByOwner
        listOf(
            Command.SetReports(settings.reportChoices()), Command.SetWaits(settings.waits.waits()),
            Command.SetShiftTables(settings.shiftTables()),
            Command.SetLimits(settings.limits()), Command.SetQuietHours(quietHours()),
            Command.AllowUssdCodes(settings.allowUssdCodes), Command.SetPaused(isPaused),
        ).forEach { command -> Trouble.trying("applying the settings") { agent().command(command) } }
    }

    /** Gives the agent the owner's quiet hours of the next days, by the present clock and time zone. */
    @Synchronized
    fun tellQuietHours() {
        if (run == Run.NOT) return
        Trouble.trying("telling the quiet hours") { agent().command(Command.SetQuietHours(quietHours())) }
    }

    private fun quietHours(): List<Spell> = when {
        settings.isQuiet -> settings.quietHours.spells(System.currentTimeMillis(), TimeZone.getDefault())
        else -> emptyList()
    }

    /** Stops it, and waits for it. */
    @Synchronized
    fun stop() {
        if (run == Run.NOT) return
        Trouble.trying("stopping") { agent().stop() }
        over()
    }

    /** It has stopped by itself; false when it was started again meanwhile, for a fact that could not wait. */
    @Synchronized
    fun ended(): Boolean {
        if (agent().isRunning()) return false
        over()
        return true
    }

    private fun begin(wanted: Run) {
        val isOnline = wanted == Run.IN_FULL && conditions.isOnline()
        val state = PhoneState(
            sims.sims(), conditions.read(), settings.limits(), quietHours(), settings.waits.waits(), isOnline, STARTS_PAUSED, bootCount(),
        )
        agent().start(state)
        run = wanted
        watch.begin(state.sims, state.condition)
        applySettings()
    }

    private companion object {
        /** Paused until [applySettings] has given the owner's settings. */
        const val STARTS_PAUSED = true
    }

    private fun over() {
        run = Run.NOT
        isWatched = false
        radio.stop()
        watch.stop()
        wakefulness.rest()
    }
}
