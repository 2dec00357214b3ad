package org.postrider.agent

import android.Manifest.permission.SEND_SMS
import org.postrider.agent.device.Permissions
import org.postrider.agent.device.Permit
import org.postrider.core.Agent
import org.postrider.core.Fact
import org.postrider.core.SetAside
import org.postrider.core.SimQueue
import org.postrider.core.readSetAside

/** Reads again what neither the platform nor the agent tells by itself: permissions, queues, and a long silence. */
internal class Refresher(
    private val parts: HostParts,
    private val life: AgentLife,
    private val folder: String,
    private val agent: () -> Agent,
) {
    /** The permissions that the app asks for and does not hold. */
    @Volatile
    var missing: List<String> = MissingPermissions.read(parts.context)
        private set

    /** What came in for another hub or project. */
    @Volatile
    var setAside: List<SetAside> = emptyList()
        private set

    @Volatile private var isAsked = false

    /** On any thread: reads soon, once for all who ask until then. */
    fun soon() {
        if (isAsked) return
        isAsked = true
        parts.thread.post {
            isAsked = false
            now()
        }
    }

    /** On the host's thread: reads, and tells the listeners. */
    fun now() {
        val missingNow = MissingPermissions.read(parts.context)
        if (missingNow != missing) {
            missing = missingNow
            life.permissionsChanged()
        }
        setAside = Trouble.trying("reading what is set aside") {
            readSetAside(folder, System.currentTimeMillis())
        }.orEmpty()
        if (life.run == Run.IN_FULL) {
            Trouble.trying("reading the queues") { agent().queues() }?.let(::show)
            parts.book.tell(Fact.Looked(parts.board.isLinked, SEND_SMS !in missing))
        }
        parts.board.changed()
    }

    private fun show(queues: List<SimQueue>) {
        parts.board.show(queues)
        // Calls and codes are asked for once there is one to dial.
        val waiting = queues.flatMap { it.kinds }.mapNotNull { it.next?.waitingFor }
        if (NOT_PERMITTED in waiting) Permissions.want(parts.context, Permit.CALLS)
    }

    private companion object {
        /** The core's word for what waits for a permission. */
        const val NOT_PERMITTED = "not_permitted"
    }
}
