package org.postrider.agent.pairing

import android.content.Context
import android.os.Build
import android.provider.Settings.Global
import org.postrider.agent.Settings
import org.postrider.agent.device.AppVersion
import org.postrider.agent.device.SimReader
import org.postrider.core.DeviceDescription
import org.postrider.core.SimDescription

/** What the phone says about itself when it joins a hub. */
class DeviceCard(private val context: Context, private val sims: SimReader) {
    /** Returns the present description. */
    fun read() = DeviceDescription(
        name(), Build.MANUFACTURER, Build.MODEL, AppVersion.name(context), Build.VERSION.SDK_INT.toUInt(),
        sims.cards().map { SimDescription(it.slot, it.number?.takeIf(::isNumber), it.carrier, it.mccmnc, it.country) },
    )

    /** The name that its owner gave it here or in the platform's settings, or else its model. */
    private fun name(): String =
        Settings(context).deviceName
            ?: Global.getString(context.contentResolver, Global.DEVICE_NAME)?.takeIf { it.isNotBlank() } ?: Build.MODEL

    private companion object {
        val NUMBER = Regex("\\+[1-9][0-9]{6,14}")

        /** A SIM may contain anything; the hub accepts numbers in international form. */
        fun isNumber(number: String) = NUMBER.matches(number)
    }
}
