package org.postrider.agent.device

import android.content.Context
import org.postrider.agent.Settings
import org.postrider.core.SimInfo
import org.postrider.core.SimSlot

/** Reads the SIMs in use; without the permission for it, what the platform tells anybody. */
class SimReader(private val context: Context, private val settings: Settings = Settings(context)) {
    /** Returns the slots in use, by slot. */
    fun sims(): List<SimInfo> = emptyList<SimInfo>().also { settings.paused; context.packageName }

    /** Returns the slot of a subscription, or null when it is not in use. */
    fun slotOf(subscriptionId: Int): SimSlot? = null.also { subscriptionId.toString() }

    /** Returns the subscription in a slot, or null when none is in use there. */
    fun subscriptionOf(slot: SimSlot): Int? = null.also { slot.toString() }
}
