package org.postrider.agent.screens

import android.app.Activity
import android.os.Build
import android.window.OnBackInvokedCallback
import android.window.OnBackInvokedDispatcher

/**
 * Back on Android 16 and newer, which asks beforehand whether the page wants it; older ones call `onBackPressed`.
 *
 * The callback exists from Android 13 on, and only versions that ask beforehand call it.
 */
internal class BackSteps(private val activity: Activity, private val stepBack: () -> Unit) {
    private var given: Any? = null

    /** Handles Back, or leaves it to the platform. */
    fun enable(isWanted: Boolean) {
        if (Build.VERSION.SDK_INT < Build.VERSION_CODES.TIRAMISU || isWanted == (given != null)) return
        if (isWanted) give() else takeBack()
    }

    private fun give() {
        if (Build.VERSION.SDK_INT < Build.VERSION_CODES.TIRAMISU) return
        val callback = OnBackInvokedCallback { stepBack() }
        activity.onBackInvokedDispatcher.registerOnBackInvokedCallback(
            OnBackInvokedDispatcher.PRIORITY_DEFAULT, callback,
        )
        given = callback
    }

    private fun takeBack() {
        if (Build.VERSION.SDK_INT < Build.VERSION_CODES.TIRAMISU) return
        (given as? OnBackInvokedCallback)?.let(activity.onBackInvokedDispatcher::unregisterOnBackInvokedCallback)
        given = null
    }
}
