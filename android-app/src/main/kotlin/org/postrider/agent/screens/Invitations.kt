package org.postrider.agent.screens

import android.net.Uri
import org.postrider.core.AgentException
import org.postrider.core.Invitation
import org.postrider.core.readInvitation

/** Reads invitations, from a link or typed; the core decides what is valid. */
object Invitations {
    /** The result of reading. */
    sealed class Outcome

    /** It is valid. */
    data class Read(val invitation: Invitation) : Outcome()

    /** It is not valid: `link`, `hub`, `code` or `pin` says what is wrong. */
    data class Wrong(val field: String) : Outcome()

    /** Reads a link. */
    fun read(link: String): Outcome = try {
        Read(readInvitation(link))
    } catch (refused: AgentException.InvalidParam) {
        Wrong(refused.field)
    }

    /** Returns the link for typed input; people leave the scheme out, or paste a whole link. */
    fun link(hub: String, code: String): String {
        val pasted = hub.trim()
        if (code.isBlank() && (pasted.startsWith(PREFIX) || PAGE in pasted)) return pasted
        val address = hub.trim().let { if (it.isEmpty() || "://" in it) it else "https://$it" }
        val parts = listOf("hub" to address, "code" to code.trim())
        return PREFIX + parts.joinToString("&") { (name, value) -> "$name=${Uri.encode(value)}" }
    }

    private const val PREFIX = "postrider://pair?"

    /** Part of the link of a hub's page. */
    private const val PAGE = "/pair#"
}
