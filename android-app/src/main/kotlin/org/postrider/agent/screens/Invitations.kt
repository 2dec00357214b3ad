package org.postrider.agent.screens

import android.net.Uri
import org.postrider.core.AgentException
import org.postrider.core.Invitation
import org.postrider.core.readInvitation

/** Reads invitations, whether they came as a link or were typed; the core says what one is. */
object Invitations {
    /** What came of it. */
    sealed class Outcome

    /** It is one. */
    data class Read(val invitation: Invitation) : Outcome()

    /** It is none: `link`, `hub`, `code` or `pin` says why. */
    data class Wrong(val field: String) : Outcome()

    /** Reads a link. */
    fun read(link: String): Outcome = try {
        Read(readInvitation(link))
    } catch (refused: AgentException.InvalidParam) {
        Wrong(refused.field)
    }

    /** Returns what was typed as a link; people leave the scheme out, or paste a whole link. */
    fun link(hub: String, code: String): String {
        val pasted = hub.trim()
        if (code.isBlank() && (pasted.startsWith(PREFIX) || PAGE in pasted)) return pasted
        val address = hub.trim().let { if (it.isEmpty() || "://" in it) it else "https://$it" }
        val parts = listOf("hub" to address, "code" to code.trim())
        return PREFIX + parts.joinToString("&") { (name, value) -> "$name=${Uri.encode(value)}" }
    }

    private const val PREFIX = "postrider://pair?"

    /** In the link of a hub's page. */
    private const val PAGE = "/pair#"
}
