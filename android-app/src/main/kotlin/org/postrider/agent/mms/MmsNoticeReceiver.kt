package org.postrider.agent.mms

import android.content.Context
import android.content.Intent
import android.provider.Telephony.Sms.Intents
import org.postrider.agent.radio.FactReceiver
import org.postrider.agent.radio.Keep
import org.postrider.agent.radio.UNLESS_STOPPED
import org.postrider.core.Log
import org.postrider.core.RadioFact

/**
 * Learns that a multimedia message is to be fetched, and wakes the agent for it.
 *
 * The phone's own app fetches it; the provider's observer reports when that is done.
 */
class MmsNoticeReceiver internal constructor(keep: Keep) : FactReceiver(keep) {
    constructor() : this(UNLESS_STOPPED)

    override fun read(context: Context, intent: Intent, code: Int): RadioFact? =
        RadioFact.LogChanged(Log.MMS).takeIf { intent.action == Intents.WAP_PUSH_RECEIVED_ACTION }
}
