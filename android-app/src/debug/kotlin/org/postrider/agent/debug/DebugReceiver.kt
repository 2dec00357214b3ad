package org.postrider.agent.debug

import android.content.BroadcastReceiver
import android.content.Context
import android.content.Intent
import org.postrider.agent.AgentHost
import org.postrider.agent.PostriderApp
import org.postrider.core.AgentException
import org.postrider.core.readInvitation

/**
 * Does for scripts/emulator what an owner does on the screens:
 *
 * `adb shell am broadcast -n org.postrider.agent/.debug.DebugReceiver -a org.postrider.agent.debug.JOIN --es link …`
 *
 * | Action | Does |
 * |---|---|
 * | `JOIN` | joins the hub of the extra `link`; the extra `forwarding` answers `yes` or `no` |
 * | `START`, `STOP` | the owner's |
 * | `LEAVE` | unpairs |
 * | `STATUS` | nothing: the answer has how the phone is, as each one's |
 *
 * The answer is the broadcast's data; its result is 1, and 0 for what is not one of these.
 */
open class DebugReceiver : BroadcastReceiver() {
    override fun onReceive(context: Context, intent: Intent) {
        val host = PostriderApp.of(context).host
        answer(if (act(host, intent)) 1 else 0, describe(host))
    }

    /** Sends the answer; adb's broadcasts are ordered. */
    protected open fun answer(code: Int, words: String) = setResult(code, words, null)

    private fun act(host: AgentHost, intent: Intent): Boolean {
        when (intent.action?.removePrefix(ACTIONS)) {
            "JOIN" -> return join(host, intent)
            "START" -> host.startByOwner()
            "STOP" -> host.stopByOwner()
            "LEAVE" -> host.unpair()
            "STATUS" -> Unit
            else -> return false
        }
        return true
    }

    private fun join(host: AgentHost, intent: Intent): Boolean = try {
        val invitation = readInvitation(intent.getStringExtra("link").orEmpty())
        host.settings.isForwarding = intent.getStringExtra("forwarding") == "yes"
        host.beginPairing(invitation)
        true
    } catch (_: AgentException) {
        false
    }

    private fun describe(host: AgentHost): String = host.status().run {
        "paired=${paired?.deviceId} running=$isRunning stopped=$isStoppedByOwner linked=$isLinked " +
            "waiting=${queues.sumOf { it.waiting }} missing=${missing.size} alerts=${alerts.size}"
    }

    companion object {
        /** The beginning of each action. */
        const val ACTIONS = "org.postrider.agent.debug."
    }
}
