package org.postrider.agent.oracle

import android.telephony.SmsManager
import org.junit.Assume.assumeTrue
import org.robolectric.RuntimeEnvironment

/** The platform's own classes, with which Rust must agree. */
object Oracle {
    private val manager: SmsManager =
        RuntimeEnvironment.getApplication().getSystemService(SmsManager::class.java)!!.createForSubscriptionId(1)

    /** Returns the parts that the platform divides a text into; an empty text has none. */
    fun divide(text: String): List<String> = if (text.isEmpty()) emptyList() else manager.divideMessage(text)

    /**
     * Skips what only a newer Java does like a phone. There, ICU keeps an emoji of several code points whole. Under
     * Robolectric, Java's own breaking of characters does, but only from version 20 on.
     */
    fun needsClusters() = assumeTrue(
        "Java breaks characters as a phone from version 20 on",
        System.getProperty("java.specification.version")!!.toDouble() >= 20,
    )
}
