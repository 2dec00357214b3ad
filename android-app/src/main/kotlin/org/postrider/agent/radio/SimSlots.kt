package org.postrider.agent.radio

import android.content.Context
import org.postrider.agent.device.SimReader

/** Which SIM slots are in use, and what the platform calls the SIM in each. */
interface SimSlots {
    /** Returns the slots in use, rising. */
    fun slots(): List<UByte>

    /** Returns the slot of a subscription; none when it is in no slot now. */
    fun slotOf(subscription: Int): UByte?

    /** Returns the subscription in a slot; none when the slot is empty. */
    fun subscriptionOf(slot: UByte): Int?
}

/**
 * Returns the slot that something came by.
 *
 * What came by a SIM that is gone, or that the platform does not name, counts as of the only slot in use, or
 * else of the first: it must not be lost.
 */
internal fun SimSlots.slotOrFirst(subscription: Int?): UByte =
    subscription?.let(::slotOf) ?: slots().firstOrNull() ?: 0u

/** Returns what answers as [slotOrFirst], asking the platform once for each SIM: for the rows of one reading. */
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
