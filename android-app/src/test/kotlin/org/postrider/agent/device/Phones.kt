package org.postrider.agent.device

import android.content.Context
import android.telephony.TelephonyManager
import org.robolectric.RuntimeEnvironment
import org.robolectric.Shadows.shadowOf

/** The platform's manager of each subscription, which the test platform lacks. */
object Phones {
    fun of(subscriptionId: Int): TelephonyManager {
        val context: Context = RuntimeEnvironment.getApplication()
        val usual = context.getSystemService(TelephonyManager::class.java)!!
        usual.createForSubscriptionId(subscriptionId)?.let { return it }
        val constructor = TelephonyManager::class.java.getConstructor(Context::class.java, Int::class.java)
        val made = constructor.newInstance(context, subscriptionId)
        shadowOf(usual).setTelephonyManagerForSubscriptionId(subscriptionId, made)
        return made
    }
}
