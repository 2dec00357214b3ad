package org.postrider.agent

import android.util.Log

/** Log lines of the app's own: words and names of exceptions, never a number, a text or a secret. */
internal object Trouble {
    private const val TAG = "postrider"

    /** Says that something of the platform failed; its message may quote what it was given. */
    fun failed(what: String, error: Throwable) {
        Log.w(TAG, what + " failed: " + error.javaClass.simpleName)
    }

    /** Says that something is not as the platform promises. */
    fun odd(what: String) {
        Log.w(TAG, what)
    }
}
