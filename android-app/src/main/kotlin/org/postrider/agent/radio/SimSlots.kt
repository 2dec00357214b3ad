package org.postrider.agent.radio

import android.content.Context
import org.postrider.agent.device.SimReader

/** Which SIM slots are in use, and the platform's subscription in each. */
interface SimSlots {
    /** Returns the slots in use, rising. */
    fun slots(): List<UByte>

    /** Returns the slot of a subscription; null when it is in no slot now. */
    fun slotOf(subscription: Int): UByte?

    /** Returns the subscription in a slot; null when the slot is empty. */
    fun subscriptionOf(slot: UByte): Int?
}

/**
 * Returns the slot by which something came.
 *
 * If its SIM is gone, or the platform does not name it, this is the only slot in use, or
 * else the first: nothing must be lost.
 */
internal fun SimSlots.slotOrFirst(subscription: Int?): UByte =
    subscription?.let(::slotOf) ?: slots().firstOrNull() ?: 0u

/** Returns [slotOrFirst] with a cache, so that one reading asks the platform once for each SIM. */
internal fun SimSlots.slotsOfRows(): (Int?) -> UByte {
    val known = HashMap<Int?, UByte>()
    return { subscription -> known.getOrPut(subscription) { slotOrFirst(subscription) } }
}

/** The slots as the phone has them now. */
internal class SlotsNow(context: Context) : SimSlots {
    private val reader = SimReader(context)

    override fun slots(): List<UByte> = reader.cards().map { it.slot }

    override fun slotOf(subscription: Int): UByte? = reader.slotOf(subscription)

    override fun subscriptionOf(slot: UByte): Int? = reader.subscriptionOf(slot)
}
