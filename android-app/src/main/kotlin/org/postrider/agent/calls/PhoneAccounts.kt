package org.postrider.agent.calls

import android.Manifest.permission.READ_PHONE_STATE
import android.content.Context
import android.os.Build
import android.telecom.PhoneAccountHandle
import android.telecom.TelecomManager
import android.telephony.TelephonyManager
import org.postrider.agent.Trouble
import org.postrider.agent.radio.SimSlots
import org.postrider.agent.radio.holds

/** Which of the platform's accounts for calls belongs to which SIM. */
internal class PhoneAccounts(private val context: Context, private val sims: SimSlots) {
    /** Returns the account of a slot; null when it has none, or when the app may not know. */
    fun accountOf(slot: UByte): PhoneAccountHandle? {
        val subscription = sims.subscriptionOf(slot) ?: return null
        return accounts().firstOrNull { subscriptionOf(it) == subscription }
    }

    /** Returns the subscriptions of all accounts, by their ids in the call log. */
    fun subscriptionsById(): Map<String, Int> {
        val known = accounts().mapNotNull { account -> subscriptionOf(account)?.let { account.id to it } }
        return known.toMap()
    }

    private fun accounts(): List<PhoneAccountHandle> {
        if (!context.holds(READ_PHONE_STATE)) return emptyList()
        return try {
            context.getSystemService(TelecomManager::class.java)?.callCapablePhoneAccounts.orEmpty()
        } catch (error: RuntimeException) {
            Trouble.failed("the accounts for calls", error)
            emptyList()
        }
    }

    private fun subscriptionOf(account: PhoneAccountHandle): Int? = try {
        if (Build.VERSION.SDK_INT >= Build.VERSION_CODES.R) {
            val telephony = context.getSystemService(TelephonyManager::class.java)
            telephony?.getSubscriptionId(account)?.takeIf { it >= 0 }
        } else {
            subscriptionByName(account)
        }
    } catch (error: RuntimeException) {
        Trouble.failed("an account for calls", error)
        null
    }

    /**
     * Before Android 11 the platform does not say. There an account is named after the number of its subscription
     * or its card, and the only account belongs to the only SIM. A SIM without an account cannot dial.
     */
    private fun subscriptionByName(account: PhoneAccountHandle): Int? {
        val subscriptions = sims.slots().mapNotNull(sims::subscriptionOf)
        return subscriptions.find { it.toString() == account.id || cardOf(it) == account.id }
            ?: subscriptions.singleOrNull()?.takeIf { accounts().size == 1 }
    }

    /** The card's number, which Android 10 no longer gives to apps. */
    @Suppress("DEPRECATION", "HardwareIds", "MissingPermission")
    private fun cardOf(subscription: Int): String? = try {
        context.getSystemService(TelephonyManager::class.java)
            ?.createForSubscriptionId(subscription)?.simSerialNumber?.takeIf { it.isNotEmpty() }
    } catch (_: SecurityException) {
        null
    }
}
