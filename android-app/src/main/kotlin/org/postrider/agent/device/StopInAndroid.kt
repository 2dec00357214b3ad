package org.postrider.agent.device

import android.app.ActivityManager
import android.app.ApplicationExitInfo
import android.content.Context
import android.os.Build

/**
 * The Stop of Android itself: in its list of running apps, or as a forced stop in its settings.
 *
 * It kills the process without telling it, and alarms and jobs may start another. From Android 11 on the platform
 * remembers how the last processes ended, and the next one can read it.
 */
internal class StopInAndroid(private val context: Context) {
    private val file = context.getSharedPreferences("ends", Context.MODE_PRIVATE)

    /** Whether such a Stop was the owner's last action. */
    val stands: Boolean get() = file.getBoolean(STANDS, false)

    /** Returns whether the owner has stopped the app in Android since the last call. */
    fun isNew(): Boolean {
        if (Build.VERSION.SDK_INT < Build.VERSION_CODES.R) return false
        val ends = context.getSystemService(ActivityManager::class.java)
            ?.getHistoricalProcessExitReasons(context.packageName, 0, ENDS_READ).orEmpty()
        val known = file.getStringSet(KNOWN, null)
        val isNew = known != null && ends.any { nameOf(it) !in known && isStop(it) }
        file.edit().putStringSet(KNOWN, ends.mapTo(HashSet(), ::nameOf)).putBoolean(STANDS, isNew || stands).commit()
        return isNew
    }

    /** The owner has started or stopped it in the app since. */
    fun forget() = file.edit().putBoolean(STANDS, false).apply()

    private fun nameOf(end: ApplicationExitInfo) = end.timestamp.toString() + "/" + end.pid

    private fun isStop(end: ApplicationExitInfo): Boolean =
        end.reason == ApplicationExitInfo.REASON_USER_REQUESTED && end.description !in NO_STOP && !isUpdate(end)

    /** Before Android 14 an update of the app ends it for the same reason. */
    private fun isUpdate(end: ApplicationExitInfo): Boolean =
        Build.VERSION.SDK_INT < Build.VERSION_CODES.UPSIDE_DOWN_CAKE &&
            end.timestamp <= context.packageManager.getPackageInfo(context.packageName, 0).lastUpdateTime

    private companion object {
        const val KNOWN = "known"
        const val STANDS = "stands"

        /** As many as the platform remembers for an app. */
        const val ENDS_READ = 16

        /**
         * Texts of the platform for ends that are not a Stop: swiping the screen away closes only
         * the screen, and tidying up makes room.
         */
        val NO_STOP = setOf("remove task", "kill background", "kill all background")
    }
}
