package org.postrider.agent.device

import android.Manifest.permission.READ_PHONE_NUMBERS
import android.Manifest.permission.READ_PHONE_STATE
import android.annotation.SuppressLint
import android.content.Context
import android.content.pm.PackageManager
import android.os.Build
import android.telephony.SubscriptionInfo
import android.telephony.SubscriptionManager
import android.telephony.TelephonyManager
import org.postrider.agent.Settings
import org.postrider.agent.Trouble
import org.postrider.core.SimInfo
import org.postrider.core.SimSlot

/** Reads the SIMs in use; without permission, only the one by which the platform sends texts. */
class SimReader(private val context: Context, private val settings: Settings = Settings(context)) {
    private val subscriptions = context.getSystemService(SubscriptionManager::class.java)
    private val telephony = context.getSystemService(TelephonyManager::class.java)
    private val fingerprints = SimFingerprints(context)

    /** Returns the slots in use as the agent gets them, by slot. */
    fun sims(): List<SimInfo> = cards().map { it.info(fingerprints) }

    /** Returns the SIMs in use, by slot. */
    fun cards(): List<SimCard> = (active() ?: usual()).sortedBy { it.slot }

    /** Returns the slot of a subscription, or null when it is not in use. */
    fun slotOf(subscriptionId: Int): SimSlot? = cards().find { it.subscriptionId == subscriptionId }?.slot

    /** Returns the subscription in a slot, or null when none is in use there. */
    fun subscriptionOf(slot: SimSlot): Int? = cards().find { it.slot == slot }?.subscriptionId

    @SuppressLint("MissingPermission") // Asked for in the line before.
    private fun active(): List<SimCard>? {
        if (!holds(READ_PHONE_STATE)) return null
        return try {
            subscriptions?.activeSubscriptionInfoList.orEmpty().filter { it.simSlotIndex in SLOTS }.map(::card)
        } catch (error: SecurityException) {
            Trouble.failed("reading the SIMs", error)
            null
        }
    }

    private fun card(info: SubscriptionInfo): SimCard {
        val slot = info.simSlotIndex.toUByte()
        val carrier = info.carrierName?.toString()
        return card(slot, info.subscriptionId, carrier, info.countryIso, numberOf(info))
    }

    /** The only SIM that is known without permission: the one that sends texts. */
    private fun usual(): List<SimCard> {
        val id = SubscriptionManager.getDefaultSmsSubscriptionId()
        if (id == SubscriptionManager.INVALID_SUBSCRIPTION_ID) return emptyList()
        val index = if (Build.VERSION.SDK_INT >= Build.VERSION_CODES.Q) SubscriptionManager.getSlotIndex(id) else 0
        if (index !in SLOTS) return emptyList()
        val manager = telephony?.createForSubscriptionId(id)
        return listOf(card(index.toUByte(), id, manager?.simOperatorName, manager?.simCountryIso, null))
    }

    private fun card(slot: SimSlot, id: Int, carrier: String?, country: String?, number: String?) = SimCard(
        slot, id, settings.typedNumber(slot) ?: said(number), said(carrier),
        said(telephony?.createForSubscriptionId(id)?.simOperator), said(country),
    )

    @SuppressLint("MissingPermission") // Asked for in the line before.
    private fun numberOf(info: SubscriptionInfo): String? {
        if (!holds(READ_PHONE_NUMBERS)) return null
        return try {
            if (Build.VERSION.SDK_INT >= Build.VERSION_CODES.TIRAMISU) {
                subscriptions?.getPhoneNumber(info.subscriptionId)
            } else {
                @Suppress("DEPRECATION")
                info.number
            }
        } catch (error: SecurityException) {
            Trouble.failed("reading a SIM's number", error)
            null
        }
    }

    private fun holds(permission: String) =
        context.checkSelfPermission(permission) == PackageManager.PERMISSION_GRANTED

    private companion object {
        /** The slots of the core. */
        val SLOTS = 0..7

        fun said(words: String?): String? = words?.trim()?.takeIf { it.isNotEmpty() }
    }
}
