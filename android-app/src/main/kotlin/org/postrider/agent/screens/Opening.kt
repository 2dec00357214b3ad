package org.postrider.agent.screens

import android.app.Activity
import android.content.ActivityNotFoundException
import android.content.Intent

/** Opens a page of another app; returns false if this phone has none, or it is private. */
internal fun Activity.opened(intent: Intent): Boolean = try {
    startActivity(intent)
    true
} catch (_: ActivityNotFoundException) {
    false
} catch (_: SecurityException) {
    false
}
