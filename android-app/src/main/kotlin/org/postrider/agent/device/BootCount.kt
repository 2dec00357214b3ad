package org.postrider.agent.device

import android.content.Context
import android.provider.Settings

/** How often the phone was started: it tells boots apart, which the kernel does not do for apps before Android 9. */
internal object BootCount {
    /** Returns the platform's count; null if it keeps none. */
    fun read(context: Context): UInt? =
        Settings.Global.getInt(context.contentResolver, Settings.Global.BOOT_COUNT, NONE).takeIf { it >= 0 }?.toUInt()

    private const val NONE = -1
}
