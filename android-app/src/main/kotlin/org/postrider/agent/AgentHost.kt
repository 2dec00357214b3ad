package org.postrider.agent

import android.Manifest.permission.SEND_SMS
import android.content.Context
import android.content.SharedPreferences
import android.os.SystemClock
import org.postrider.agent.device.AppVersion
import org.postrider.agent.device.ConditionReader
import org.postrider.agent.device.DeviceEars
import org.postrider.agent.device.DeviceWatch
import org.postrider.agent.device.SimReader
import org.postrider.agent.device.StopInAndroid
import org.postrider.agent.pairing.DeviceCard
import org.postrider.agent.pairing.Joining
import org.postrider.agent.pairing.PhoneKey
import org.postrider.agent.pairing.TrustedRoots
import org.postrider.agent.radio.AndroidRadio
import org.postrider.agent.service.AlertNotices
import org.postrider.agent.service.BusyLock
import org.postrider.agent.service.GatewayService
import org.postrider.agent.service.Notices
import org.postrider.agent.service.WakeAlarm
import org.postrider.agent.service.Wakefulness
import org.postrider.agent.service.Watchdog
import org.postrider.core.Address
import org.postrider.core.Agent
import org.postrider.core.AgentConfig
import org.postrider.core.AgentException
import org.postrider.core.Command
import org.postrider.core.Event
import org.postrider.core.Invitation
import org.postrider.core.MessageText
import org.postrider.core.Paired
import org.postrider.core.PairingOutcome
import org.postrider.core.RadioFact
import org.postrider.core.SimQueue
import org.postrider.core.SimSlot
import org.postrider.core.Stopped
import org.postrider.core.readPairing
import org.postrider.core.setLogSink
import java.util.concurrent.CopyOnWriteArrayList

/**
 * The one owner of the Rust agent.
 *
 * Every method may be called from any thread but the agent's own. What starts and stops the agent is done on one
 * thread, in order; what the agent says is heard there, too. The agent runs in one of two ways:
 *
 * - *in full*: with its service, its network and everything that listens to the phone;
 * - *for keeps*: its owner has stopped it, but the platform says something once; it is started without a network,
 *   sends nothing, writes that down, and stops again.
 */
class AgentHost(private val context: Context, private val leaveWithinS: UInt = LEAVE_WITHIN_S) {
    /** Is told that [status] may be another, on the main thread. */
    fun interface Listener {
        fun onChanged()
    }

    val settings = Settings(context)
    val activity = ActivityLog(context)
    val sims = SimReader(context, settings)
    val conditions = ConditionReader(context, settings, sims)

    private val thread = HostThread()
    private val alerts = Alerts(context)
    private val book = EventBook(activity, alerts)
    private val wakefulness = Wakefulness(WakeAlarm(context), BusyLock(context))
    private val contact = Contact(context)
    private val stopInAndroid = StopInAndroid(context)
    private val restarts = Restarts(thread, wakefulness)
    private val key = PhoneKey(context) { thread.post(::loseKey) }
    private val radio = AndroidRadio(context) { tell(it) }
    private val watch = DeviceWatch(context, sims, conditions, thread.handler, Ears())
    private val test = TestMessage({ agent })
    private val listeners = CopyOnWriteArrayList<Listener>()

    @Volatile private var isLinked = false
    @Volatile private var queues: List<SimQueue> = emptyList()
    @Volatile private var queuesReadAtMs = 0L
    @Volatile private var missing: List<String> = MissingPermissions.read(context)
    @Volatile private var isRefreshing = false
    @Volatile private var known: Known? = null

    private val folder = context.noBackupFilesDir.resolve("agent").path

    /** It takes a while: not on the main thread. */
    private val made = lazy {
        setLogSink(PlatformLog)
        val config = AgentConfig(folder, TrustedRoots.read(), AppVersion.isDebuggable(context))
        Agent(config, radio, key, ears())
    }

    /** The Rust object; what makes it fails where the phone's storage does. */
    val agent: Agent by made

    private val life = AgentLife({ agent }, settings, sims, conditions, radio, watch, wakefulness)

    /** The platform holds it weakly. */
    private val onSettings = SharedPreferences.OnSharedPreferenceChangeListener { _, _ -> applySettings() }
    private val joining = Joining({ agent }, key, DeviceCard(context, sims), ::changed)

    init {
        alerts.addListener(AlertNotices(context))
        settings.addListener(onSettings)
        honourStopInAndroid()
    }

    // Whether it runs.

    /** Returns whether the agent is to run: the phone is paired, and its owner has not stopped it. */
    fun mayRun(): Boolean = !settings.stoppedByOwner && paired() != null

    /** Starts the agent and its service, when it [mayRun]; returns whether it may. */
    fun ensureRunning(): Boolean {
        if (!mayRun()) return false
        if (life.run != Run.IN_FULL) {
            GatewayService.start(context)
            thread.post(::runInFull)
        }
        return true
    }

    /** Looks whether all is as it should be, and mends it; then calls [done]. */
    fun look(done: () -> Unit = {}) = thread.post {
        ensureRunning()
        life.tellQuietHours()
        readAgain()
        done()
    }

    /** Lets the agent look at its clocks; then calls [done]. */
    fun wake(done: () -> Unit = {}) = thread.post {
        if (mayRun()) {
            ensureRunning()
            thread.post {
                life.tellQuietHours()
                agentOrNull()?.wake()
                wakefulness.renew()
                done()
            }
        } else {
            done()
        }
    }

    /** The owner's Stop: until [startByOwner], nothing starts it. */
    fun stopByOwner() {
        settings.stoppedByOwner = true
        stopInAndroid.forget()
        thread.post {
            if (paired() != null) activity.add(What.STOPPED_BY_OWNER)
            // The journal keeps it: what the agent is started for then sends nothing.
            Trouble.trying("pausing") { if (agent.isRunning()) agent.command(Command.SetPaused(true)) }
            end()
            joining.left()
            changed()
        }
    }

    /** The owner's Start. */
    fun startByOwner() {
        settings.stoppedByOwner = false
        stopInAndroid.forget()
        thread.post {
            restarts.forget()
            ensureRunning()
            changed()
        }
    }

    /** A Stop outside of the app counts as one in it, and is shown like one. */
    private fun honourStopInAndroid() {
        if (!stopInAndroid.isNew() || !mayRun()) return
        settings.stoppedByOwner = true
        activity.add(What.STOPPED_IN_ANDROID)
        Notices.showStopped(context)
    }

    /** The service runs, and so is the agent to. */
    fun serviceStarted() = thread.post(::runInFull)

    /** Ends all that this object began, as the end of the process does, and waits for it. */
    fun close() {
        settings.removeListener(onSettings)
        thread.post {
            life.stop()
            if (made.isInitialized()) agent.close()
        }
        thread.end()
    }

    // What is told.

    /** Tells a fact and returns at once. */
    fun tell(fact: RadioFact) {
        agentOrNull()?.tell(fact)
    }

    /**
     * Tells a fact and waits until it is on disk; false when it is not. Not on the main thread.
     *
     * The process may have been started for it: then the agent is started first.
     */
    fun tellForKeeps(fact: RadioFact): Boolean {
        if (life.run == Run.NOT && !runFor()) return false
        return kept(fact) || (runFor() && kept(fact))
    }

    /** Sends a message of the owner's own at once; [Status.test] says what becomes of it. */
    fun sendTest(sim: SimSlot, to: Address, text: MessageText) = thread.post {
        test.send(sim, to, text)
        changed()
    }

    /** Asks the agent for something; what it refuses is logged. */
    fun command(command: Command) = thread.post {
        Trouble.trying("a command") {
            agent.command(command)
            if (command is Command.ConfirmSim) alerts.clear(AlertKind.SIM_CHANGED, command.v1)
        }
        changed()
    }

    // Joining and leaving.

    /** Joins a hub, after leaving the one that it has joined; [Status.pairing] says how far it is. */
    fun beginPairing(invitation: Invitation) = thread.post {
        joining.wish(invitation)
        if (paired() == null) join() else leave()
        changed()
    }

    /** Gives up joining a hub, or takes it that how it ended was seen. */
    fun cancelPairing() = thread.post {
        joining.cancel()
        changed()
    }

    /** Leaves the hub: what waits is given back, what was seen is told, then all is erased. */
    fun unpair() = thread.post {
        joining.wish(null)
        if (paired() != null) leave()
        changed()
    }

    // What is shown.

    /** Returns how the phone is; cheap enough for the main thread. */
    fun status(): Status = Status(
        paired(), life.run == Run.IN_FULL, settings.stoppedByOwner, isLinked, conditions.isOnline(),
        queues, queuesReadAtMs, if (life.run == Run.NOT) sims.sims() else watch.simsNow,
        watch.conditionNow.takeIf { life.run != Run.NOT } ?: conditions.read(),
        joining.progress, missing, alerts.all(), activity.counts(), settings.stoppedByOwner && stopInAndroid.stands,
        test.progress,
    )

    /** Reads again what [status] shows, soon; listeners are told. A screen calls it each second. */
    fun refresh() {
        if (isRefreshing) return
        isRefreshing = true
        thread.post {
            isRefreshing = false
            readAgain()
        }
    }

    /** Listens for another [status]. */
    fun addListener(l: Listener) {
        listeners.addIfAbsent(l)
    }

    /** Listens no longer. */
    fun removeListener(l: Listener) {
        listeners.remove(l)
    }

    /** An alert was looked at: it is not shown any more. */
    fun dismiss(alert: Alert) {
        alerts.clear(alert)
        changed()
    }

    // Below, all is done on the host's thread, unless it says otherwise.

    private fun ears() = AgentEars(thread::post, wakefulness::take, ::hear, ::over, ::showDigits, ::pairingOver)

    /** On any thread. */
    private fun paired(): Paired? = if (key.isLost) null else (known ?: readPaired().also { known = it }).paired

    private fun readPaired() = Known(Trouble.trying("reading the pairing") { readPairing(folder) })

    /** On any thread: the agent, unless it cannot be made. */
    private fun agentOrNull(): Agent? = try {
        agent
    } catch (error: AgentException) {
        Trouble.failed("making the agent", error)
        null
    }

    private fun runInFull() {
        if (!mayRun() || restarts.isWaiting()) return
        life.start(Run.IN_FULL)?.let(::failToStart) ?: begin()
    }

    /** On any thread: starts the agent for a fact that comes once. */
    private fun runFor(): Boolean {
        if (paired() == null) return false
        val wanted = if (settings.stoppedByOwner) Run.FOR_KEEPS else Run.IN_FULL
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

    private fun kept(fact: RadioFact): Boolean = Trouble.trying("keeping a fact") { agent.tellForKeeps(fact) } != null

    /** What surrounds an agent that runs in full. */
    private fun begin() {
        if (!life.listen()) return
        GatewayService.start(context)
        Watchdog.begin(context)
        contact.begin()
        restarts.began()
        activity.add(What.STARTED)
        readAgain()
    }

    private fun stopSoon() {
        thread.forget(FOR_KEEPS)
        thread.postLater(FOR_KEEPS, FOR_KEEPS_MS) { if (life.run == Run.FOR_KEEPS) stop() }
    }

    private fun stop() {
        life.stop()
        forgetLink()
    }

    private fun forgetLink() {
        isLinked = false
        queues = emptyList()
    }

    /** Stops for good: nothing looks whether it runs. */
    private fun end() {
        stop()
        restarts.forget()
        Watchdog.end(context)
        wakefulness.rest()
    }

    private fun hear(event: Event) {
        when (event) {
            Event.LinkUp -> isLinked = true.also { contact.made() }
            Event.LinkDown -> isLinked = false.also { contact.lost() }
            else -> Unit
        }
        book.take(event)
        test.take(event)
        refresh()
    }

    private fun over(why: Stopped) {
        if (!life.ended()) return
        forgetLink()
        when (why) {
            is Stopped.Failed -> failed()
            Stopped.Revoked -> unpaired(AlertKind.PAIRED_ELSEWHERE)
            Stopped.JournalNotTrusted -> unpaired(AlertKind.JOURNAL_NOT_TRUSTED)
            is Stopped.Unpaired -> unpaired(null)
        }
        changed()
    }

    private fun failToStart(why: AgentException) {
        Trouble.failed("starting", why)
        when (why) {
            is AgentException.Running -> Unit
            is AgentException.NotPaired -> unpaired(null)
            is AgentException.JournalSetAside -> unpaired(AlertKind.JOURNAL_SET_ASIDE)
            is AgentException.KeyLost -> if (key.isLost) loseKey() else failed()
            else -> failed()
        }
        changed()
    }

    private fun failed() {
        activity.add(What.FAILED_TO_RUN)
        if (restarts.plan(::ensureRunning)) alerts.raise(AlertKind.AGENT_FAILING)
    }

    /** The hub is left, or has left us: back to pairing. */
    private fun unpaired(alert: AlertKind?) {
        end()
        val now = readPaired()
        if (now.paired == null) {
            key.forget()
            key.accept()
        }
        if (known?.paired != null) activity.add(What.UNPAIRED)
        AlertKind.entries.filter { it != alert && it !in ABOUT_PAIRING }.forEach { alerts.clear(it) }
        alert?.let { alerts.raise(it) }
        joining.left()
        known = now
        if (joining.isWished) join()
    }

    private fun loseKey() {
        end()
        alerts.raise(AlertKind.KEY_LOST)
        changed()
    }

    private fun join() {
        stop()
        joining.join()
    }

    private fun leave() {
        joining.leaving()
        life.start(Run.IN_FULL)?.let {
            failToStart(it)
            // Otherwise the hub is left already.
            if (paired() != null) joining.failed(it)
            return
        }
        begin()
        try {
            agent.beginUnpairing(leaveWithinS)
        } catch (error: AgentException) {
            Trouble.failed("unpairing", error)
            joining.failed(error)
        }
    }

    private fun showDigits(digits: String) {
        joining.compare(digits)
        changed()
    }

    private fun pairingOver(outcome: PairingOutcome) {
        if (outcome is PairingOutcome.Paired) {
            ABOUT_PAIRING.forEach { alerts.clear(it) }
            contact.forget()
            activity.add(What.PAIRED)
            key.accept()
            known = readPaired()
            startByOwner()
        }
        joining.over(outcome)
    }

    /** On any thread. */
    private fun applySettings() = thread.post {
        life.applySettings()
        if (life.run == Run.IN_FULL) {
            watch.readSims()
            watch.readCondition()
        }
        changed()
    }

    private fun readAgain() {
        val missingNow = MissingPermissions.read(context)
        if (missingNow != missing) {
            missing = missingNow
            life.permissionsChanged()
        }
        if (life.run == Run.IN_FULL) {
            Trouble.trying("reading the queues") { agent.queues() }?.let {
                queues = it
                queuesReadAtMs = SystemClock.elapsedRealtime()
            }
            warn()
        }
        changed()
    }

    private fun warn() {
        val maySend = SEND_SMS !in missing
        if (maySend) alerts.clear(AlertKind.MAY_NOT_SEND) else alerts.raise(AlertKind.MAY_NOT_SEND)
        if (!isLinked && contact.isLongAgo()) alerts.raise(AlertKind.OFFLINE)
    }

    /** On any thread. */
    private fun changed() = thread.onMain { listeners.forEach(Listener::onChanged) }

    /** What [Agent.paired] said last. */
    private class Known(val paired: Paired?)

    private inner class Ears : DeviceEars {
        override fun tell(fact: RadioFact) = this@AgentHost.tell(fact)

        override fun onNetworkChanged() {
            agentOrNull()?.networkChanged()
            changed()
        }

        override fun onNetworkLost() {
            agentOrNull()?.networkLost()
            changed()
        }

        override fun onSimsChanged() {
            radio.refresh()
            changed()
        }
    }

    private companion object {
        /** How long the agent waits for more to write down, once it was started for that. */
        const val FOR_KEEPS_MS = 10_000L
        const val FOR_KEEPS = "for keeps"
        const val LEAVE_WITHIN_S = 30u

        /** What is settled by pairing again. */
        val ABOUT_PAIRING = setOf(
            AlertKind.PAIRED_ELSEWHERE, AlertKind.JOURNAL_NOT_TRUSTED, AlertKind.JOURNAL_SET_ASIDE, AlertKind.KEY_LOST,
        )
    }
}
