package org.postrider.agent.device

import org.postrider.core.SimInfo
import org.postrider.core.SimSlot

/** A SIM in use, as the platform describes it. */
data class SimCard(
    val slot: SimSlot,
    val subscriptionId: Int,
    val number: String?,
    val carrier: String?,
    /** Country and network code, digits. */
    val mccmnc: String?,
    /** Two letters. */
    val country: String?,
)

/** Returns the description of a SIM for the agent. */
internal fun SimCard.info(fingerprints: SimFingerprints) =
    SimInfo(slot, number, carrier, mccmnc, fingerprints.of(subscriptionId))
