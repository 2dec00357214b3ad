package org.postrider.agent.device

import android.content.Context
import android.content.pm.ApplicationInfo

/** Which build of the app this is. */
object AppVersion {
    /** Returns its version. */
    fun name(context: Context): String =
        context.packageManager.getPackageInfo(context.packageName, 0).versionName.orEmpty()

    /** Returns whether it is a build for developers. */
    fun isDebuggable(context: Context): Boolean =
        context.applicationInfo.flags and ApplicationInfo.FLAG_DEBUGGABLE != 0
}
