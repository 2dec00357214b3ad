package org.postrider.agent.screens

import android.app.Application
import android.content.Context
import org.postrider.agent.AgentHost
import org.postrider.agent.PairingProgress
import org.postrider.agent.Settings
import org.postrider.agent.Status
import org.postrider.core.Address
import org.postrider.core.Alert
import org.postrider.core.Command
import org.postrider.core.Condition
import org.postrider.core.Entry
import org.postrider.core.Invitation
import org.postrider.core.MessageText
import org.postrider.core.Paired
import org.postrider.core.PairedSlot
import org.postrider.core.SimInfo
import org.postrider.core.SimQueue
import org.postrider.core.SimSlot
import org.postrider.core.TodayCounts
import org.postrider.core.Wait

/** An app whose screens see what a test sets. */
class ScreensApp : Application(), Control.Source {
    override val control by lazy { FakeControl(this) }
}

/** Shows what a test sets, and records what was asked for. */
class FakeControl(context: Context) : Control {
    override val settings = Settings(context)
    var status = unpairedStatus()
    var entries = emptyList<Entry>()
    val commands = mutableListOf<Command>()
    val tests = mutableListOf<Triple<SimSlot, Address, MessageText>>()
    val dismissed = mutableListOf<Alert>()
    val asked = mutableListOf<String>()
    val invitations = mutableListOf<Invitation>()
    val listeners = mutableListOf<AgentHost.Listener>()

    /** Whether a wish to pair takes effect later. */
    var isSlow = false

    /** Tells the screens of another status. */
    fun change(change: Status.() -> Status) {
        status = status.change()
        listeners.toList().forEach { it.onChanged() }
    }

    override fun status() = status
    override fun entries() = entries
    override fun refresh() = Unit
    override fun opened() = Unit

    override fun addListener(listener: AgentHost.Listener) {
        listeners += listener
    }

    override fun removeListener(listener: AgentHost.Listener) {
        listeners -= listener
    }

    override fun startByOwner() {
        asked += "start"
        change { copy(isStoppedByOwner = false) }
    }

    override fun stopByOwner() {
        asked += "stop"
        change { copy(isStoppedByOwner = true) }
    }

    override fun command(command: Command) {
        commands += command
    }

    override fun sendTest(sim: SimSlot, to: Address, text: MessageText) {
        tests += Triple(sim, to, text)
    }

    override fun giveSetAside(slot: UByte) {
        asked += "give $slot"
        change { copy(setAside = setAside.filter { it.slot != slot }) }
    }

    override fun eraseSetAside(slot: UByte) {
        asked += "erase $slot"
        change { copy(setAside = setAside.filter { it.slot != slot }) }
    }

    override fun dismiss(alert: Alert) {
        dismissed += alert
        change { copy(alerts = alerts - alert) }
    }

    override fun beginPairing(invitation: Invitation) {
        invitations += invitation
        if (!isSlow) change { copy(pairing = if (paired == null) PairingProgress.Asking else PairingProgress.Leaving) }
    }

    override fun cancelPairing() {
        asked += "cancel"
        change { copy(pairing = null) }
    }

    override fun unpair() {
        asked += "unpair"
        change { copy(pairing = PairingProgress.Leaving) }
    }

    override fun permissionsChanged() {
        asked += "permissions"
    }
}

const val HUB = "hub.example.org"

/** A phone that nobody has paired. */
fun unpairedStatus() = Status(
    null, false, false, false, true, emptyList(), 0, emptyList(),
    Condition(81u, true, "wifi", 3u, null, "1.2.3", 35u, "Example", "One"), null, emptyList(), emptyList(), TodayCounts(),
)

/** A phone at work, with two SIMs of which one waits. */
fun pairedStatus(waitingFor: String = "send_limit", inMs: ULong? = 120_000uL) = unpairedStatus().copy(
    paired = Paired("DV0000000000000001", HUB, listOf(PairedSlot(0u, "PH0000000000000001"))),
    isRunning = true, isLinked = true,
    queues = listOf(SimQueue(0u, 3u, Wait(inMs, waitingFor), emptyList()), SimQueue(1u, 0u, null, emptyList())),
    queuesReadAtMs = android.os.SystemClock.elapsedRealtime(),
    sims = listOf(
        SimInfo(0u, "+15005550001", "Example Mobile", "00101", null),
        SimInfo(1u, null, null, null, null),
    ),
    counts = TodayCounts(sent = 1u, failed = 0u, received = 12u, unknown = 2u),
)
