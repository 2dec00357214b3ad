package org.postrider.agent.calls

import android.content.ComponentName
import android.telecom.PhoneAccount
import android.telecom.PhoneAccountHandle
import android.telecom.TelecomManager
import android.telephony.TelephonyManager
import org.postrider.agent.radio.FIRST_SUBSCRIPTION
import org.postrider.agent.radio.SECOND_SUBSCRIPTION
import org.postrider.agent.radio.app
import org.robolectric.Shadows.shadowOf

/** A phone with two SIMs, each with its line and its account for calls. */
internal class TwoLines {
    val telephony: TelephonyManager = app.getSystemService(TelephonyManager::class.java)!!
    val telecom: TelecomManager = app.getSystemService(TelecomManager::class.java)!!
    val first = TelephonyManager(app, FIRST_SUBSCRIPTION)
    val second = TelephonyManager(app, SECOND_SUBSCRIPTION)

    init {
        shadowOf(telephony).setTelephonyManagerForSubscriptionId(FIRST_SUBSCRIPTION, first)
        shadowOf(telephony).setTelephonyManagerForSubscriptionId(SECOND_SUBSCRIPTION, second)
    }

    /** Gives a SIM its account, with the platform's name. */
    fun addAccount(id: String, subscription: Int): PhoneAccountHandle {
        val handle = PhoneAccountHandle(ComponentName("com.android.phone", "com.android.phone.Calls"), id)
        val account = PhoneAccount.builder(handle, "SIM")
            .setCapabilities(PhoneAccount.CAPABILITY_CALL_PROVIDER or PhoneAccount.CAPABILITY_SIM_SUBSCRIPTION)
            .addSupportedUriScheme(PhoneAccount.SCHEME_TEL)
            .build()
        telecom.registerPhoneAccount(account)
        shadowOf(telecom).enablePhoneAccount(handle, true)
        shadowOf(telephony).setPhoneAccountHandleSubscriptionId(handle, subscription)
        return handle
    }
}
