package org.postrider.agent.radio

import android.Manifest.permission.READ_CALL_LOG
import android.Manifest.permission.READ_SMS
import android.content.Context
import android.os.Handler
import android.os.Looper
import org.postrider.agent.Trouble
import org.postrider.agent.calls.CallLogReader
import org.postrider.agent.calls.CallPlacer
import org.postrider.agent.calls.LineWatcher
import org.postrider.agent.calls.PhoneAccounts
import org.postrider.agent.mms.MmsLog
import org.postrider.agent.sms.SentMessages
import org.postrider.agent.sms.SmsLog
import org.postrider.agent.sms.SmsSender
import org.postrider.agent.ussd.UssdDialler
import org.postrider.core.DialUssd
import org.postrider.core.Log
import org.postrider.core.LogPage
import org.postrider.core.PlaceCall
import org.postrider.core.Radio
import org.postrider.core.RadioFact
import org.postrider.core.ScanMark
import org.postrider.core.SendParts
import org.postrider.core.SentRowAsked

/**
 * The phone's radio and the platform's records of it, for the agent.
 *
 * The agent's own thread calls it. Messages are given to the platform at once; the platform's
 * providers are read on a separate thread. While it is started, it also watches for changes.
 */
class AndroidRadio(
    context: Context,
    sims: SimSlots = SlotsNow(context),
    private val tell: (RadioFact) -> Unit,
) : Radio {
    private val context = context.applicationContext
    private val resolver = this.context.contentResolver
    private val handler = Handler(Looper.getMainLooper())
    private val reader = LazyThread("radio")
    private val accounts = PhoneAccounts(this.context, sims)
    private val sender = SmsSender(this.context, sims, tell)
    private val dialler = UssdDialler(this.context, sims, handler, tell)
    private val placer = CallPlacer(this.context, accounts, tell)
    private val smsLog = SmsLog(resolver, sims)
    private val mmsLog = MmsLog(resolver, sims)
    private val callLog = CallLogReader(resolver, sims, accounts)
    private val sentMessages = SentMessages(resolver, sims, this.context.packageName)
    private val logWatcher = LogWatcher(resolver, handler) { tell(RadioFact.LogChanged(it)) }
    private val lineWatcher = LineWatcher(this.context, sims, handler, tell)

    /** Watches for changes, and reports the state of every line. */
    fun start() = refresh()

    /** Other SIMs are in the slots, or the app may do more than before. */
    fun refresh() {
        logWatcher.watch()
        lineWatcher.watch()
    }

    fun stop() {
        logWatcher.stop()
        lineWatcher.stop()
    }

    override fun sendParts(task: SendParts) = sender.send(task)

    override fun dialUssd(task: DialUssd) = dialler.dial(task)

    override fun placeCall(task: PlaceCall) = placer.place(task)

    /** Without an answer the agent asks again or gives up; a guess could be wrong. */
    override fun readSentRow(asked: SentRowAsked) = later("the sent messages") {
        if (context.holds(READ_SMS)) tell(RadioFact.SentRowRead(asked.token, sentMessages.find(asked)))
    }

    /** A log that fails is asked for again; one that may not be read has no rows. */
    override fun readLog(log: Log, from: ScanMark) = later("a log") {
        tell(
            when (log) {
                Log.SMS -> page(READ_SMS, LogPage::Sms) { smsLog.inbox(from) }
                Log.MMS -> page(READ_SMS, LogPage::Mms) { mmsLog.inbox(from) }
                Log.CALLS -> page(READ_CALL_LOG, LogPage::Calls) { callLog.calls(from) }
            },
        )
    }

    /** Receivers wait for the disk themselves. */
    override fun confirmReceived(receipt: ULong) = Unit

    private fun <Row> page(permission: String, of: (List<Row>) -> LogPage, read: () -> Page<Row>): RadioFact {
        val page = try {
            if (context.holds(permission)) read() else null
        } catch (error: SecurityException) {
            Trouble.failed("a log", error)
            null
        }
        return RadioFact.LogRead(of(page?.rows.orEmpty()), page?.isComplete ?: true)
    }

    private fun later(what: String, read: () -> Unit) = reader.execute {
        try {
            read()
        } catch (error: RuntimeException) {
            Trouble.failed(what, error)
        }
    }
}
