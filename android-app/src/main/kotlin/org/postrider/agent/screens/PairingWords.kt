package org.postrider.agent.screens

import android.content.res.Resources
import org.postrider.agent.PairingProgress
import org.postrider.agent.R
import org.postrider.core.PairingFailure
import org.postrider.core.PairingOutcome

/** Sentences for how a pairing ended, and what to do then. */
object PairingWords {
    /** What happened, and what the owner can do about it. */
    data class Words(val what: String, val todo: String?, val isPaired: Boolean = false)

    /** Returns the words for an outcome; [hub] is the one that was joined. */
    fun of(resources: Resources, outcome: PairingOutcome, hub: String): Words = when (outcome) {
        PairingOutcome.Paired -> Words(resources.getString(R.string.paired_now, hub), null, isPaired = true)
        is PairingOutcome.Refused -> refused(resources, outcome)
        PairingOutcome.OtherDigits -> resources.words(R.string.other_digits, R.string.other_digits_todo)
        PairingOutcome.TimedOut -> resources.words(R.string.timed_out, R.string.timed_out_todo)
        PairingOutcome.Cancelled -> Words(resources.getString(R.string.pairing_cancelled), null)
        is PairingOutcome.Failed -> failed(resources, outcome.why)
    }

    private fun refused(resources: Resources, outcome: PairingOutcome.Refused) = when (outcome.code) {
        "pairing_refused" -> resources.words(R.string.pairing_refused, R.string.pairing_refused_todo)
        "pairing_expired" -> resources.words(R.string.pairing_expired, R.string.pairing_expired_todo)
        "invalid_param" -> resources.words(R.string.pairing_not_a_code, R.string.pairing_refused_todo)
        "app_too_old" -> resources.words(R.string.pairing_app_too_old, R.string.pairing_app_too_old_todo)
        "public_url_missing" -> resources.words(R.string.pairing_no_public_url, R.string.pairing_no_public_url_todo)
        else -> Words(
            resources.getString(R.string.pairing_refused_otherwise, outcome.code, outcome.message),
            resources.getString(R.string.pairing_refused_todo),
        )
    }

    private fun failed(resources: Resources, why: PairingFailure) = when (why) {
        PairingFailure.NOT_A_HUB -> resources.words(R.string.pairing_not_a_hub, R.string.pairing_not_a_hub_todo)
        PairingFailure.UNSAFE_LINK -> resources.words(R.string.pairing_unsafe_link, R.string.pairing_no_public_url_todo)
        PairingFailure.STORAGE -> resources.words(R.string.pairing_no_storage, R.string.pairing_no_storage_todo)
        PairingFailure.KEY -> resources.words(R.string.pairing_no_key, R.string.pairing_no_key_todo)
        PairingFailure.NO_ROOTS -> resources.words(R.string.pairing_no_roots, R.string.pairing_no_roots_todo)
        PairingFailure.APP -> resources.words(R.string.pairing_app_failed, R.string.pairing_app_failed_todo)
    }

    /** Returns the sentence for a part of an invitation that is not valid. */
    fun wrong(field: String): Int = when (field) {
        "hub" -> R.string.wrong_hub
        "code" -> R.string.wrong_code
        "pin" -> R.string.wrong_pin
        else -> R.string.wrong_link
    }

    /** Returns the six digits in two groups, for a screen reader one by one. */
    fun digits(resources: Resources, digits: String): Line.Digits {
        val groups = digits.chunked(digits.length / 2 + digits.length % 2)
        val spoken = digits.toList().joinToString(resources.getString(R.string.between_digits))
        return Line.Digits(groups.joinToString(" "), spoken)
    }

    private fun Resources.words(what: Int, todo: Int) = Words(getString(what), getString(todo))
}
