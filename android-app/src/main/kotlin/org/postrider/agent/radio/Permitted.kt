package org.postrider.agent.radio

import android.content.Context
import android.content.pm.PackageManager

/** Returns whether the app has a permission at this moment. */
internal fun Context.holds(permission: String): Boolean =
    checkSelfPermission(permission) == PackageManager.PERMISSION_GRANTED
