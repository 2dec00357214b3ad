package org.postrider.agent

import android.content.Context
import android.content.SharedPreferences
import org.postrider.agent.device.AppVersion
import org.postrider.agent.device.BootCount
import org.postrider.agent.device.DeviceEars
import org.postrider.agent.device.DeviceWatch
import org.postrider.agent.device.StopInAndroid
import org.postrider.agent.pairing.PhoneKey
import org.postrider.agent.pairing.TrustedRoots
import org.postrider.agent.radio.AndroidRadio
import org.postrider.agent.service.Notices
import org.postrider.core.Address
import org.postrider.core.Agent
import org.postrider.core.AgentConfig
import org.postrider.core.AgentException
import org.postrider.core.Alert
import org.postrider.core.Command
import org.postrider.core.Event
import org.postrider.core.Fact
import org.postrider.core.Invitation
import org.postrider.core.MessageText
import org.postrider.core.RadioFact
import org.postrider.core.SimSlot
import org.postrider.core.setLogSink

/**
 * The one owner of the Rust agent.
 *
 * Every method may be called from any thread but the agent's own. One thread starts and stops the agent, in order,
 * and handles what the agent reports. The agent runs in one of two ways:
 *
 * - *in full*: with its service, its network and everything that listens to the phone;
 * - *for keeps*: its owner has stopped it, but the platform reports something only once. It is started without a
 *   network, sends nothing, writes that down, and stops again.
 */
class AgentHost(context: Context, leaveWithinS: UInt = LEAVE_WITHIN_S) {
    /** Is told on the main thread that [status] may have changed. */
    fun interface Listener {
        fun onChanged()
    }

    private val parts = HostParts(context)
    val settings = parts.settings
    val book = parts.book
    val sims = parts.sims
    val conditions = parts.conditions

    private val thread = parts.thread
    private val board = parts.board
    private val stopInAndroid = StopInAndroid(context)
    private val key = PhoneKey(context) { thread.post { membership.loseKey() } }
    private val radio = AndroidRadio(context) { tell(it) }
    private val watch = DeviceWatch(context, sims, conditions, thread.handler, Ears())
    private val test = TestMessage({ agent })
    private val folder = context.noBackupFilesDir.resolve("agent").path

    /** Takes a while: not on the main thread. */
    private val made = lazy {
        setLogSink(PlatformLog)
        val config = AgentConfig(folder, TrustedRoots.read(), AppVersion.isDebuggable(context))
        Agent(config, radio, key, ears())
    }

    /** The Rust object; making it fails when the phone's storage does. */
    val agent: Agent by made

    private val life = AgentLife({ agent }, settings, sims, conditions, radio, watch, parts.wakefulness) {
        BootCount.read(context)
    }
    private val refresher = Refresher(parts, life, folder) { agent }
    private val runner: Runner = Runner(parts, life, refresher) { membership }
    private val membership: Membership =
        Membership(parts, runner, key, folder, leaveWithinS, { agent }, ::startByOwner)

    /** The platform holds it weakly. */
    private val onSettings = SharedPreferences.OnSharedPreferenceChangeListener { _, _ -> applySettings() }

    init {
        settings.addListener(onSettings)
        // A Stop outside of the app counts as one in it, and is shown the same way.
        if (stopInAndroid.isNew() && mayRun()) {
            settings.stoppedByOwner = true
            book.tell(Fact.StoppedInAndroid)
            Notices.showStopped(context, isInAndroid = true)
        }
    }

    // Whether it runs.

    /** Returns whether the agent should run: the phone is paired, and its owner has not stopped it. */
    fun mayRun(): Boolean = runner.mayRun()

    /** Returns whether the service has something to do: the agent should run, or a hub is being joined. */
    fun mayStay(): Boolean = mayRun() || membership.progress.isGoingOn()

    /** Starts the agent and its service, if it [mayRun]; returns whether it may. */
    fun ensureRunning(): Boolean = runner.ensureRunning()

    /** Checks that everything is as it should be, and repairs it; then calls [done]. */
    fun look(done: () -> Unit = {}) = thread.post {
        ensureRunning()
        life.tellQuietHours()
        // Work that wakes nobody by itself is done now.
        Trouble.trying("looking") { if (made.isInitialized()) agent.wake() }
        refresher.now()
        done()
    }

    /** Lets the agent look at its clocks; then calls [done]. */
    fun wake(done: () -> Unit = {}) = thread.post {
        if (ensureRunning()) thread.post { wakeNow(done) } else done()
    }

    private fun wakeNow(done: () -> Unit) {
        life.tellQuietHours()
        Trouble.trying("waking") { agentOrNull()?.wake() }
        parts.wakefulness.renew()
        done()
    }

    /** Whether the process is in the foreground; the service says so. */
    var isInForeground by runner::isInForeground

    /** The service runs, so the agent should, too. */
    fun serviceStarted() = thread.post(runner::runInFull)

    /** Ends everything that this object began, as the end of the process does, and waits for it. */
    fun close() {
        settings.removeListener(onSettings)
        thread.post {
            life.stop()
            if (made.isInitialized()) agent.close()
        }
        thread.end()
    }

    // Facts.

    /** Reports a fact without waiting. */
    fun tell(fact: RadioFact) {
        agentOrNull()?.tell(fact)
    }

    /**
     * Reports a fact and waits until it is on disk; false when it is not. Not on the main thread.
     *
     * The process may have been started for it; then the agent is started first.
     */
    fun tellForKeeps(fact: RadioFact): Boolean {
        if (life.run == Run.NOT && !runner.runForKeeps()) return false
        return kept(fact) || (runner.runForKeeps() && kept(fact))
    }

    private fun kept(fact: RadioFact): Boolean = Trouble.trying("keeping a fact") { agent.tellForKeeps(fact) } != null

    // What its owner asks for.

    /** The owner's Stop: until [startByOwner], nothing starts it. */
    fun stopByOwner() {
        settings.stoppedByOwner = true
        stopInAndroid.forget()
        thread.post {
            if (membership.isJoined) book.tell(Fact.StoppedByOwner)
            // Kept in the journal, so that the agent sends nothing when it is started only for a fact.
            Trouble.trying("pausing") { if (agent.isRunning()) agent.command(Command.SetPaused(true)) }
            runner.end()
            membership.stopLeaving()
            if (membership.progress.isGoingOn()) membership.cancel()
            board.changed()
        }
    }

    /** The owner's Start. */
    fun startByOwner() {
        settings.stoppedByOwner = false
        stopInAndroid.forget()
        thread.post {
            runner.waitNoLonger()
            ensureRunning()
            board.changed()
        }
    }

    /** Asks the agent for something; a refusal is logged. */
    fun command(command: Command) = asked {
        Trouble.trying("a command") {
            agent.command(command)
            if (command is Command.ConfirmSim) confirmed(command.v1)
        }
    }

    /** Another SIM is used from now on; its number was not typed. */
    private fun confirmed(sim: SimSlot) {
        settings.setTypedNumber(sim, null)
        book.tell(Fact.SimConfirmed(sim))
    }

    /** Sends a message of the owner at once; [Status.test] shows its progress. */
    fun sendTest(sim: SimSlot, to: Address, text: MessageText) = asked { test.send(sim, to, text) }

    /** Joins a hub, after leaving the present one; [Status.pairing] shows the progress. */
    fun beginPairing(invitation: Invitation) = asked { membership.join(invitation) }

    /** Stops joining a hub, or confirms that its outcome was seen. */
    fun cancelPairing() = asked(membership::cancel)

    /** Leaves the hub: waiting messages go back, the last reports are sent, then everything is erased. */
    fun unpair() = asked(membership::leaveForGood)

    /** Gives the present hub the incoming messages of another one. */
    fun giveSetAside(slot: UByte) = asked {
        Trouble.trying("giving what is set aside") { agent.uploadSetAside(slot) }
        refresher.now()
    }

    /** Erases the incoming messages of another hub. */
    fun eraseSetAside(slot: UByte) = asked {
        Trouble.trying("erasing what is set aside") { agent.eraseSetAside(slot) }
        refresher.now()
    }

    /** The owner has looked at an alert: it ends. */
    fun dismiss(alert: Alert) {
        book.tell(Fact.Dismissed(alert))
        board.changed()
    }

    private fun applySettings() = asked {
        life.applySettings()
        if (life.run == Run.IN_FULL) {
            watch.readSims()
            watch.readCondition()
        }
    }

    private fun asked(work: () -> Unit) = thread.post {
        work()
        board.changed()
    }

    // What is shown.

    /** Returns the phone's state; cheap enough for the main thread. */
    fun status(): Status = Status(
        membership.paired(), life.run == Run.IN_FULL, settings.stoppedByOwner, board.isLinked, conditions.isOnline(),
        board.queues, board.queuesReadAtMs, if (life.run == Run.NOT) sims.sims() else watch.simsNow,
        watch.conditionNow.takeIf { life.run != Run.NOT } ?: conditions.read(),
        membership.progress, refresher.missing, book.alerts(), book.counts(),
        settings.stoppedByOwner && stopInAndroid.stands, test.progress, refresher.setAside,
    )

    /** Soon reads again what [status] shows, and tells listeners. A screen calls it each second. */
    fun refresh() = refresher.soon()

    /** Adds a listener for changes of [status]. */
    fun addListener(l: Listener) = board.addListener(l)

    /** Removes a listener. */
    fun removeListener(l: Listener) = board.removeListener(l)

    // What the agent reports, on the host's thread.

    private fun ears() = AgentEars(
        thread::post, parts.wakefulness::take, ::hear, runner::over, membership::compare, membership::over,
    )

    private fun hear(event: Event) {
        when (event) {
            Event.LinkUp -> board.isLinked = true
            Event.LinkDown -> board.isLinked = false
            else -> Unit
        }
        book.hear(event)
        test.take(event)
        refresh()
    }

    /** On any thread: the agent, or null if it cannot be made. */
    private fun agentOrNull(): Agent? = try {
        agent
    } catch (error: AgentException) {
        Trouble.failed("making the agent", error)
        null
    }

    private inner class Ears : DeviceEars {
        override fun tell(fact: RadioFact) = this@AgentHost.tell(fact)

        override fun onNetworkChanged() {
            agentOrNull()?.networkChanged()
            board.changed()
        }

        override fun onNetworkLost() {
            agentOrNull()?.networkLost()
            board.changed()
        }

        override fun onSimsChanged() {
            radio.refresh()
            board.changed()
        }
    }

    private companion object {
        const val LEAVE_WITHIN_S = 30u
    }
}
