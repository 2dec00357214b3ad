package org.postrider.agent

import android.util.Log
import org.postrider.core.AgentException

/** The app's own log lines: words and names of exceptions, never a number, a text or a secret. */
internal object Trouble {
    private const val TAG = "postrider"

    /** Logs that something failed, without the exception's message, which may quote its input. */
    fun failed(what: String, error: Throwable) {
        Log.w(TAG, what + " failed: " + error.javaClass.simpleName)
    }

    /** Does something that the agent may refuse; logs a refusal and returns null. */
    fun <T> trying(what: String, work: () -> T): T? = try {
        work()
    } catch (error: AgentException) {
        failed(what, error)
        null
    }
}
