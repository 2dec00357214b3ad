package org.postrider.agent.sms

import android.content.Context
import android.content.Intent
import android.provider.Telephony.Sms.Intents
import org.postrider.agent.radio.FactReceiver
import org.postrider.agent.radio.Keep
import org.postrider.agent.radio.SimSlots
import org.postrider.agent.radio.SlotsNow
import org.postrider.agent.radio.THROUGH_HOST
import org.postrider.core.RadioFact

/** Receives incoming texts. */
class SmsReceiver internal constructor(keep: Keep, private val slots: (Context) -> SimSlots) : FactReceiver(keep) {
    constructor() : this(THROUGH_HOST, ::SlotsNow)

    override fun read(context: Context, intent: Intent, code: Int): RadioFact? {
        if (intent.action != Intents.SMS_RECEIVED_ACTION) return null
        return IncomingSms(slots(context)).text(intent)?.let(RadioFact::SmsReceived)
    }
}

/** Receives incoming data messages, on any port. */
class DataReceiver internal constructor(keep: Keep, private val slots: (Context) -> SimSlots) : FactReceiver(keep) {
    constructor() : this(THROUGH_HOST, ::SlotsNow)

    override fun read(context: Context, intent: Intent, code: Int): RadioFact? {
        if (intent.action != Intents.DATA_SMS_RECEIVED_ACTION) return null
        return IncomingSms(slots(context)).data(intent)?.let(RadioFact::DataReceived)
    }
}
