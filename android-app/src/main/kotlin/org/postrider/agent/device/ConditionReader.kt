package org.postrider.agent.device

import android.Manifest.permission.CALL_PHONE
import android.Manifest.permission.READ_PHONE_STATE
import android.Manifest.permission.SEND_SMS
import android.content.Context
import android.content.Intent
import android.content.IntentFilter
import android.net.ConnectivityManager
import android.net.NetworkCapabilities
import android.os.BatteryManager
import android.os.Build
import android.telephony.TelephonyManager
import org.postrider.agent.Settings
import org.postrider.agent.radio.holds
import org.postrider.core.Condition

/** Reads battery, network, signal, the device's model, and what its owner allows the app. */
class ConditionReader(
    private val context: Context,
    private val settings: Settings = Settings(context),
    private val sims: SimReader = SimReader(context, settings),
) {
    private val networks = context.getSystemService(ConnectivityManager::class.java)
    private val telephony = context.getSystemService(TelephonyManager::class.java)

    /** Returns the phone's present condition. */
    fun read(): Condition {
        val battery = context.registerReceiver(null, IntentFilter(Intent.ACTION_BATTERY_CHANGED))
        return Condition(
            battery?.let(::percent), battery?.let(::isCharging), network(), signal(), settings.isForwarding ?: false,
            AppVersion.name(context), Build.VERSION.SDK_INT.toUInt(), Build.MANUFACTURER, Build.MODEL,
            maySend = context.holds(SEND_SMS),
            mayCall = context.holds(CALL_PHONE) && context.holds(READ_PHONE_STATE),
        )
    }

    /** Returns whether there is a network to reach a hub. */
    fun isOnline(): Boolean = networks?.activeNetwork != null

    private fun network(): String? {
        val abilities = networks?.getNetworkCapabilities(networks.activeNetwork ?: return null) ?: return null
        return NAMES.firstOrNull { (transport, _) -> abilities.hasTransport(transport) }?.second ?: "other"
    }

    /** The best signal of all SIMs. */
    private fun signal(): UByte? {
        if (Build.VERSION.SDK_INT < Build.VERSION_CODES.P) return null
        return sims.cards().mapNotNull { levelOf(it.subscriptionId) }.maxOrNull()?.toUByte()
    }

    private fun levelOf(subscriptionId: Int): Int? = try {
        if (Build.VERSION.SDK_INT < Build.VERSION_CODES.P) null
        else telephony?.createForSubscriptionId(subscriptionId)?.signalStrength?.level
    } catch (_: SecurityException) {
        null
    }

    private companion object {
        /** The network that carries a VPN is named before the VPN. */
        val NAMES = listOf(
            NetworkCapabilities.TRANSPORT_WIFI to "wifi",
            NetworkCapabilities.TRANSPORT_CELLULAR to "mobile",
            NetworkCapabilities.TRANSPORT_ETHERNET to "ethernet",
            NetworkCapabilities.TRANSPORT_BLUETOOTH to "bluetooth",
            NetworkCapabilities.TRANSPORT_VPN to "vpn",
        )

        fun percent(battery: Intent): UByte? {
            val level = battery.getIntExtra(BatteryManager.EXTRA_LEVEL, -1)
            val scale = battery.getIntExtra(BatteryManager.EXTRA_SCALE, -1)
            return if (level < 0 || scale <= 0) null else (level * 100 / scale).coerceIn(0, 100).toUByte()
        }

        fun isCharging(battery: Intent): Boolean = battery.getIntExtra(BatteryManager.EXTRA_PLUGGED, 0) != 0
    }
}
