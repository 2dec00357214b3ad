package org.postrider.agent

import org.postrider.core.Alert
import org.postrider.core.Condition
import org.postrider.core.Paired
import org.postrider.core.PairingOutcome
import org.postrider.core.SetAside
import org.postrider.core.SimInfo
import org.postrider.core.SimQueue
import org.postrider.core.TodayCounts

/** The phone's state at one moment. */
data class Status(
    /** The hub that it has joined; null if it must be paired. */
    val paired: Paired?,
    /** Whether the agent runs. */
    val isRunning: Boolean,
    /** Whether the owner has stopped it. */
    val isStoppedByOwner: Boolean,
    /** Whether the hub holds a connection to it. */
    val isLinked: Boolean,
    /** Whether the phone has a network. */
    val isOnline: Boolean,
    /** What waits for each SIM. */
    val queues: List<SimQueue>,
    /** When [queues] was read, by `elapsedRealtime`: its waits count from then. */
    val queuesReadAtMs: Long,
    /** The SIMs in use. */
    val sims: List<SimInfo>,
    /** Battery, network and the like. */
    val condition: Condition,
    /** The progress of joining or leaving a hub; null when neither was begun. */
    val pairing: PairingProgress?,
    /** The permissions that the app asks for and does not have. */
    val missing: List<String>,
    /** What the owner has to look at, newest first. */
    val alerts: List<Alert>,
    /** What happened today. */
    val counts: TodayCounts,
    /** Whether the owner stopped it in Android's own list of running apps or settings, not here. */
    val isStoppedInAndroid: Boolean = false,
    /** The progress of the owner's last test message; null if there was none since the app started. */
    val test: TestProgress? = null,
    /** Incoming messages of another hub or project that wait for the owner's decision. */
    val setAside: List<SetAside> = emptyList(),
)

/** The progress of joining or leaving a hub. */
sealed class PairingProgress {
    /** Waiting messages and the last reports go to the hub before this phone forgets it. */
    object Leaving : PairingProgress()

    /** The hub is asked. */
    object Asking : PairingProgress()

    /** Six digits that the hub shows, too; its operator confirms. */
    data class Comparing(val digits: String) : PairingProgress()

    /** It was not begun: a field of the invitation (`link`, `hub`, `code`, `pin`) is not valid. */
    data class Invalid(val field: String) : PairingProgress()

    /** It is over. */
    data class Over(val outcome: PairingOutcome) : PairingProgress()
}

/** Returns whether a pairing or leaving is not over yet. */
fun PairingProgress?.isGoingOn(): Boolean = when (this) {
    PairingProgress.Leaving, PairingProgress.Asking, is PairingProgress.Comparing -> true
    is PairingProgress.Invalid, is PairingProgress.Over, null -> false
}
