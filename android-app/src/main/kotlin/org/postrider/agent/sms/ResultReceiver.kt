package org.postrider.agent.sms

import android.app.Activity
import android.content.Context
import android.content.Intent
import org.postrider.agent.Trouble
import org.postrider.agent.radio.FactReceiver
import org.postrider.agent.radio.Keep
import org.postrider.agent.radio.THROUGH_HOST
import org.postrider.core.RadioFact
import org.postrider.core.explainReport

/** Receives the results of the parts that [SmsSender] handed over. */
class ResultReceiver internal constructor(keep: Keep) : FactReceiver(keep) {
    constructor() : this(THROUGH_HOST)

    override fun read(context: Context, intent: Intent, code: Int): RadioFact? {
        val name = PartName.of(intent.data) ?: return null
        return when (name.word) {
            Word.SENT -> RadioFact.PartSent(name.token, name.part, name.of, code, causeOf(intent))
            Word.REPORTED -> reportOf(name, intent)
        }
    }

    /** The platform no longer reports on a part that failed, or whose report was final. */
    override fun kept(context: Context, intent: Intent, fact: RadioFact) {
        val name = PartName.of(intent.data) ?: return
        val isOver = when (fact) {
            is RadioFact.PartSent -> fact.code != Activity.RESULT_OK
            is RadioFact.ReportArrived -> explainReport(fact.status).isFinal
            else -> false
        }
        if (isOver) PartIntents(context).cancel(name.copy(word = Word.REPORTED))
    }

    private fun causeOf(intent: Intent): Int? =
        if (intent.hasExtra(CAUSE)) intent.getIntExtra(CAUSE, 0) else null

    private fun reportOf(name: PartName, intent: Intent): RadioFact? {
        val report = StatusReport.of(intent.getByteArrayExtra(PDU), intent.getStringExtra(FORMAT))
        if (report == null) Trouble.failed("reading a status report", NoReport())
        return report?.let { RadioFact.ReportArrived(name.token, name.part, it.status, it.recipient) }
    }

    private companion object {
        /** Extras that the platform fills in. */
        const val CAUSE = "errorCode"
        const val PDU = "pdu"
        const val FORMAT = "format"
    }
}

/** The platform gave a report that cannot be read. */
private class NoReport : Exception()
