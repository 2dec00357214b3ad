package org.postrider.agent.radio

import android.util.Log

/** What goes wrong between the platform and the radio's classes: words and names of classes, nothing else. */
internal object Notes {
    private const val TAG = "postrider"

    /** Says that the platform failed at something; its message may hold a number, so only its name is said. */
    fun failed(what: String, error: Throwable) {
        Log.w(TAG, what + " failed: " + error.javaClass.simpleName)
    }

    fun odd(what: String) {
        Log.w(TAG, what)
    }
}
