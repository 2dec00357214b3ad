package org.postrider.agent

import android.annotation.SuppressLint
import android.content.Context
import android.content.SharedPreferences
import org.postrider.core.Guard
import org.postrider.core.PaceLimits
import org.postrider.core.ReportChoice
import org.postrider.core.SimSlot

/** How many parts the platform lets an app send before it asks the phone's owner in a dialog. */
enum class GuardChoice(val guard: Guard?) {
    /** Android's usual limit is 30 in a minute; we stay below it. */
    USUAL(Guard(24u, 60_000uL)),

    /** Older phones, and those of some makers, allow 30 in half an hour. */
    STRICT(Guard(27u, 1_800_000uL)),

    /** The owner has lifted the limit. */
    NONE(null),
}

/** The owner's settings; listeners hear of changes, and the agent gets them. */
class Settings(context: Context) {
    private val values: SharedPreferences = context.getSharedPreferences(NAME, Context.MODE_PRIVATE)

    /** The owner's Stop: nothing starts the agent for good until the owner does. */
    var stoppedByOwner: Boolean
        get() = values.getBoolean(STOPPED, false)
        @SuppressLint("ApplySharedPref") // On disk before anything else happens: the process may end.
        set(value) {
            values.edit().putBoolean(STOPPED, value).commit()
        }

    /** Holds every message that is not with the radio yet. */
    var paused: Boolean
        get() = values.getBoolean(PAUSED, false)
        set(value) = values.edit().putBoolean(PAUSED, value).apply()

    /** Parts an hour of each SIM. */
    var partsPerHour: Int
        get() = values.getInt(PARTS_PER_HOUR, PARTS_PER_HOUR_USUAL)
        set(value) = values.edit().putInt(PARTS_PER_HOUR, value.coerceAtLeast(1)).apply()

    /** Parts an hour of all SIMs together; null if only each SIM has its limit. */
    var phonePartsPerHour: Int?
        get() = number(PHONE_PARTS_PER_HOUR)
        set(value) = values.edit().run {
            if (value == null) remove(PHONE_PARTS_PER_HOUR) else putInt(PHONE_PARTS_PER_HOUR, value.coerceAtLeast(1))
        }.apply()

    /** Returns whether to ask for delivery reports on a SIM; null if the hub decides. */
    fun reports(slot: SimSlot): Boolean? =
        if (values.contains(REPORTS + slot)) values.getBoolean(REPORTS + slot, true) else null

    /** Sets whether to ask for delivery reports on a SIM; null leaves it to the hub. */
    fun setReports(slot: SimSlot, wanted: Boolean?) = values.edit().run {
        if (wanted == null) remove(REPORTS + slot) else putBoolean(REPORTS + slot, wanted)
    }.apply()

    /** Returns the choices for delivery reports, for each slot that has one. */
    fun reportChoices(): List<ReportChoice> =
        SLOTS.mapNotNull { slot -> reports(slot)?.let { ReportChoice(slot, it) } }

    /** How long to wait for results that may never come: to the first doubt, to the end, and for reports. */
    var waits: WaitTimes
        get() = WaitTimes(number(SILENCE_S), number(UNKNOWN_MIN), number(REPORTS_H))
        set(value) = values.edit().run {
            for ((key, number) in listOf(
                SILENCE_S to value.silenceS, UNKNOWN_MIN to value.unknownMin, REPORTS_H to value.reportsH,
            )) if (number == null) remove(key) else putInt(key, number)
            this
        }.apply()

    private fun number(key: String): Int? = if (values.contains(key)) values.getInt(key, 0) else null

    /** The language whose shift tables Android uses here: its identifier, 0 for none; null if the hub decides. */
    var shiftTable: Int?
        get() = number(SHIFT_TABLE)
        set(value) = values.edit().run {
            if (value == null) remove(SHIFT_TABLE) else putInt(SHIFT_TABLE, value)
        }.apply()

    /** Returns the languages whose shift tables Android uses here, as the core takes them. */
    fun shiftTables(): ByteArray? = shiftTable?.let { if (it == 0) byteArrayOf() else byteArrayOf(it.toByte()) }

    /** Whether there are quiet hours. */
    var isQuiet: Boolean
        get() = values.getBoolean(QUIET, false)
        set(value) = values.edit().putBoolean(QUIET, value).apply()

    /** The hours of each day in which none of the hub's messages is sent, if [isQuiet]. */
    var quietHours: QuietHours
        get() = QuietHours(
            values.getInt(QUIET_FROM, QuietHours.USUAL.from), values.getInt(QUIET_UNTIL, QuietHours.USUAL.until),
        )
        set(value) = values.edit().putInt(QUIET_FROM, value.from).putInt(QUIET_UNTIL, value.until).apply()

    /** Whether incoming messages go to the hub; null until the owner was asked, which counts as no. */
    var isForwarding: Boolean?
        get() = if (values.contains(FORWARDING)) values.getBoolean(FORWARDING, false) else null
        set(value) = values.edit().run {
            if (value == null) remove(FORWARDING) else putBoolean(FORWARDING, value)
        }.apply()

    /** The name that the hub shows for this phone; null until somebody gave it one. */
    var deviceName: String?
        get() = values.getString(DEVICE_NAME, null)
        set(value) = values.edit().putString(DEVICE_NAME, value?.trim()?.takeIf { it.isNotEmpty() }).apply()

    /** Whether the hub may dial codes that change settings of the phone or SIM. */
    var allowUssdCodes: Boolean
        get() = values.getBoolean(USSD_CODES, false)
        set(value) = values.edit().putBoolean(USSD_CODES, value).apply()

    /** The platform's limit on this phone. */
    var guard: GuardChoice
        get() = GuardChoice.entries.find { it.name == values.getString(GUARD, null) } ?: GuardChoice.USUAL
        set(value) = values.edit().putString(GUARD, value.name).apply()

    /** Returns the number that the owner typed for a SIM, or null. */
    fun typedNumber(slot: SimSlot): String? = values.getString(NUMBER + slot, null)

    /** Keeps the number that the owner typed for a SIM; null or an empty text removes it. */
    fun setTypedNumber(slot: SimSlot, number: String?) = values.edit().run {
        if (number.isNullOrBlank()) remove(NUMBER + slot) else putString(NUMBER + slot, number.trim())
    }.apply()

    /** Returns how fast messages may be sent. */
    fun limits(): PaceLimits = PaceLimits(partsPerHour.toUInt(), phonePartsPerHour?.toUInt(), guard.guard)

    /** Listens for changes, on the main thread; the caller keeps the listener alive. */
    fun addListener(listener: SharedPreferences.OnSharedPreferenceChangeListener) =
        values.registerOnSharedPreferenceChangeListener(listener)

    /** Removes a listener. */
    fun removeListener(listener: SharedPreferences.OnSharedPreferenceChangeListener) =
        values.unregisterOnSharedPreferenceChangeListener(listener)

    companion object {
        /** The usual pace, in parts an hour. */
        const val PARTS_PER_HOUR_USUAL = 1_500

        private const val NAME = "settings"
        private const val STOPPED = "stopped_by_owner"
        private const val PAUSED = "paused"
        private const val PARTS_PER_HOUR = "parts_per_hour"
        private const val PHONE_PARTS_PER_HOUR = "phone_parts_per_hour"
        private const val REPORTS = "reports_"
        private const val SILENCE_S = "silence_s"
        private const val UNKNOWN_MIN = "unknown_min"
        private const val REPORTS_H = "reports_h"
        private const val SHIFT_TABLE = "shift_table"
        private val SLOTS: List<SimSlot> = List(8) { it.toUByte() }
        private const val QUIET = "quiet"
        private const val QUIET_FROM = "quiet_from"
        private const val QUIET_UNTIL = "quiet_until"
        private const val FORWARDING = "forwarding"
        private const val DEVICE_NAME = "device_name"
        private const val USSD_CODES = "ussd_codes"
        private const val GUARD = "guard"
        private const val NUMBER = "number_"
    }
}
