package org.postrider.agent.device

import android.content.Context
import android.os.Build
import org.postrider.agent.Settings
import org.postrider.core.Condition

/** Reads battery, network, signal and what the device is. */
class ConditionReader(private val context: Context, private val settings: Settings = Settings(context)) {
    /** Returns how the phone is now. */
    fun read(): Condition = Condition(
        null, null, null, null, settings.isForwarding ?: false,
        context.packageManager.getPackageInfo(context.packageName, 0).versionName,
        Build.VERSION.SDK_INT.toUInt(), Build.MANUFACTURER, Build.MODEL,
    )
}
