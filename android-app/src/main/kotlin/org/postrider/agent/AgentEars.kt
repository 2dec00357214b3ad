package org.postrider.agent

import android.util.Log
import org.postrider.core.Event
import org.postrider.core.LogLevel
import org.postrider.core.LogSink
import org.postrider.core.Outlook
import org.postrider.core.PairingOutcome
import org.postrider.core.Shell
import org.postrider.core.Stopped

/** Passes on what the agent's own thread reports: the outlook at once, all else on the host's thread. */
internal class AgentEars(
    private val post: (() -> Unit) -> Unit,
    private val outlook: (Outlook) -> Unit,
    private val event: (Event) -> Unit,
    private val stopped: (Stopped) -> Unit,
    private val digits: (String) -> Unit,
    private val pairingOver: (PairingOutcome) -> Unit,
) : Shell {
    override fun onOutlook(outlook: Outlook) = this.outlook(outlook)

    override fun onEvent(event: Event) = post { this.event(event) }

    override fun onStopped(stopped: Stopped) = post { this.stopped(stopped) }

    override fun onPairingDigits(digits: String) = post { this.digits(digits) }

    override fun onPairingOver(outcome: PairingOutcome) = post { pairingOver(outcome) }
}

/** The agent's log lines, in the platform's log. */
internal object PlatformLog : LogSink {
    private const val TAG = "postrider"

    override fun log(level: LogLevel, line: String) {
        val priority = when (level) {
            LogLevel.ERROR -> Log.ERROR
            LogLevel.WARNING -> Log.WARN
            LogLevel.INFO -> Log.INFO
            LogLevel.DEBUG -> Log.DEBUG
        }
        Log.println(priority, TAG, line)
    }
}
