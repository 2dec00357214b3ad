package org.postrider.agent

import android.content.Context
import org.postrider.agent.device.ConditionReader
import org.postrider.agent.device.SimReader
import org.postrider.agent.pairing.PhoneKey
import org.postrider.core.Agent
import org.postrider.core.AgentConfig
import org.postrider.core.CallRefusal
import org.postrider.core.Command
import org.postrider.core.DialUssd
import org.postrider.core.Event
import org.postrider.core.Invitation
import org.postrider.core.Log
import org.postrider.core.Outlook
import org.postrider.core.PairingOutcome
import org.postrider.core.PlaceCall
import org.postrider.core.Radio
import org.postrider.core.RadioFact
import org.postrider.core.ScanMark
import org.postrider.core.SendParts
import org.postrider.core.SentRowAsked
import org.postrider.core.Shell
import org.postrider.core.Stopped

/** The one owner of the Rust agent; every method may be called from any thread but the agent's. */
class AgentHost(context: Context) {
    /** Is told that [status] is another, on the main thread. */
    fun interface Listener {
        fun onChanged()
    }

    val settings = Settings(context)
    val activity = ActivityLog(context)
    val sims = SimReader(context, settings)
    val conditions = ConditionReader(context, settings)

    /** The Rust object. */
    val agent: Agent by lazy {
        val folder = context.noBackupFilesDir.resolve("agent").path
        Agent(AgentConfig(folder, emptyList(), false), NoRadio(::tell), PhoneKey(), Ears())
    }

    /** Starts the agent and its service, when the phone is paired and its owner has not stopped it. */
    fun ensureRunning(): Boolean = false

    /** Tells a fact and returns at once. */
    fun tell(fact: RadioFact) {
        agent.tell(fact)
    }

    /** Tells a fact and waits until it is on disk; false when it is not. Not on the main thread. */
    fun tellForKeeps(fact: RadioFact): Boolean = runCatching { agent.tellForKeeps(fact) }.isSuccess

    /** The owner's Stop: until [startByOwner], nothing starts it. */
    fun stopByOwner() {
        settings.stoppedByOwner = true
    }

    /** The owner's Start. */
    fun startByOwner() {
        settings.stoppedByOwner = false
    }

    /** Returns how the phone is; cheap enough for the main thread. */
    fun status(): Status = Status(
        null, false, settings.stoppedByOwner, false, false, emptyList(), 0, sims.sims(), conditions.read(),
        null, emptyList(), emptyList(), activity.counts(),
    )

    /** Reads again what [status] shows, soon; listeners are told. A screen calls it each second. */
    fun refresh() {}

    /** Listens for another [status]. */
    fun addListener(l: Listener) {
        l.hashCode()
    }

    /** Listens no longer. */
    fun removeListener(l: Listener) {
        l.hashCode()
    }

    /** Joins a hub, after leaving the one that it has joined; [Status.pairing] says how far it is. */
    fun beginPairing(invitation: Invitation) {
        invitation.hashCode()
    }

    /** Gives up joining a hub. */
    fun cancelPairing() {}

    /** Leaves the hub: what waits is given back, what was seen is told, then all is erased. */
    fun unpair() {}

    /** Asks the agent for something; what it refuses is logged. */
    fun command(command: Command) {
        command.hashCode()
    }

    /** An alert was looked at: it is not shown any more. */
    fun dismiss(alert: Alert) {
        alert.hashCode()
    }

    private class Ears : Shell {
        override fun onEvent(event: Event) {}
        override fun onOutlook(outlook: Outlook) {}
        override fun onStopped(stopped: Stopped) {}
        override fun onPairingDigits(digits: String) {}
        override fun onPairingOver(outcome: PairingOutcome) {}
    }

    private class NoRadio(private val tell: (RadioFact) -> Unit) : Radio {
        override fun sendParts(task: SendParts) {}
        override fun dialUssd(task: DialUssd) {}
        override fun placeCall(task: PlaceCall) = tell(RadioFact.CallRefused(task.token, CallRefusal.OTHER))
        override fun readSentRow(asked: SentRowAsked) {}
        override fun readLog(log: Log, from: ScanMark) {}
        override fun confirmReceived(receipt: ULong) {}
    }
}
