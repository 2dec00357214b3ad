package org.postrider.agent

import android.util.Log
import org.postrider.core.AgentException

/** Log lines of the app's own: words and names of exceptions, never a number, a text or a secret. */
internal object Trouble {
    private const val TAG = "postrider"

    /** Says that something failed; the exception's message may quote what was given. */
    fun failed(what: String, error: Throwable) {
        Log.w(TAG, what + " failed: " + error.javaClass.simpleName)
    }

    /** Does something that the agent may refuse; null when it did, which is said. */
    fun <T> trying(what: String, work: () -> T): T? = try {
        work()
    } catch (error: AgentException) {
        failed(what, error)
        null
    }
}
