package org.postrider.agent.screens

import android.content.Context
import org.postrider.agent.AgentHost
import org.postrider.agent.PostriderApp
import org.postrider.agent.Settings
import org.postrider.agent.Status
import org.postrider.core.Address
import org.postrider.core.Alert
import org.postrider.core.Command
import org.postrider.core.Entry
import org.postrider.core.Invitation
import org.postrider.core.MessageText
import org.postrider.core.SimSlot

/** What the screens see of the agent, and what its owner can ask for there. */
interface Control {
    val settings: Settings

    fun status(): Status
    fun entries(): List<Entry>
    fun refresh()

    /** Its owner looks at the app: what should run is started. */
    fun opened()
    fun addListener(listener: AgentHost.Listener)
    fun removeListener(listener: AgentHost.Listener)

    fun startByOwner()
    fun stopByOwner()
    fun command(command: Command)
    fun dismiss(alert: Alert)

    /** Sends a message of the owner at once; [Status.test] shows its progress. */
    fun sendTest(sim: SimSlot, to: Address, text: MessageText)

    /** Gives the present hub the incoming messages of another one, or erases them. */
    fun giveSetAside(slot: UByte)
    fun eraseSetAside(slot: UByte)

    fun beginPairing(invitation: Invitation)
    fun cancelPairing()
    fun unpair()

    /** The permissions changed: what waited for one can go on. */
    fun permissionsChanged()

    /** An app with its own control. */
    interface Source {
        val control: Control
    }

    companion object {
        /** Returns the app's own control, unless the app that runs the screens has another. */
        fun of(context: Context): Control =
            (context.applicationContext as? Source)?.control ?: HostControl(PostriderApp.of(context).host)
    }
}

private class HostControl(private val host: AgentHost) : Control {
    override val settings get() = host.settings

    override fun status() = host.status()
    override fun entries() = host.book.entries()
    override fun refresh() = host.refresh()
    override fun opened() = host.look()
    override fun addListener(listener: AgentHost.Listener) = host.addListener(listener)
    override fun removeListener(listener: AgentHost.Listener) = host.removeListener(listener)

    override fun startByOwner() = host.startByOwner()
    override fun stopByOwner() = host.stopByOwner()
    override fun command(command: Command) = host.command(command)
    override fun dismiss(alert: Alert) = host.dismiss(alert)

    override fun sendTest(sim: SimSlot, to: Address, text: MessageText) = host.sendTest(sim, to, text)

    override fun giveSetAside(slot: UByte) = host.giveSetAside(slot)
    override fun eraseSetAside(slot: UByte) = host.eraseSetAside(slot)

    override fun beginPairing(invitation: Invitation) = host.beginPairing(invitation)
    override fun cancelPairing() = host.cancelPairing()
    override fun unpair() = host.unpair()

    override fun permissionsChanged() = host.look()
}
