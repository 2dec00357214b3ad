package org.postrider.agent.screens

import android.content.res.Resources
import org.postrider.agent.R
import org.postrider.agent.TestProgress
import org.postrider.core.PaceRule
import org.postrider.core.Refused
import org.postrider.core.WireState

/** Sentences for the progress of a test message. */
class TestWords(private val resources: Resources, private val times: Times) {
    /** Returns the lines about the last test, which are read out as they change. */
    fun of(test: TestProgress): List<Line> {
        val said = when (test) {
            TestProgress.NotRunning -> listOf(resources.getString(R.string.test_not_running))
            is TestProgress.NotSent -> notSent(test)
            is TestProgress.Moved -> moved(test)
        }
        return listOf(Line.Heading(resources.getString(R.string.test_last))) + said.map { Line.Text(it, isLive = true) }
    }

    private fun moved(test: TestProgress.Moved): List<String> {
        val why = test.code?.takeIf { test.state == WireState.FAILED }?.let {
            resources.getString(R.string.log_reason, resources.getString(ResultWords.sentence(it)), it)
        }
        return listOfNotNull(resources.getString(state(test.state)), why)
    }

    /** A test is never in another state. */
    private fun state(state: WireState): Int = when (state) {
        WireState.SUBMITTING -> R.string.test_submitted
        WireState.SENT -> R.string.test_sent
        WireState.DELIVERED -> R.string.test_delivered
        WireState.NOT_DELIVERED -> R.string.test_not_delivered
        WireState.FAILED -> R.string.test_failed
        WireState.UNKNOWN, WireState.ON_PHONE, WireState.RETRYING, WireState.REVOKED, WireState.CANCELLED,
        WireState.EXPIRED,
        -> R.string.test_unknown
    }

    private fun notSent(test: TestProgress.NotSent): List<String> {
        val why = reason(test.why)?.let(resources::getString)
        val from = test.atMs?.let { resources.getString(R.string.test_from, times.moment(it)) }
        return listOfNotNull(resources.getString(R.string.test_not_sent), why, from)
    }

    private fun reason(why: Refused): Int? = when (why) {
        is Refused.NoSuchSim -> R.string.test_no_sim
        is Refused.SimChanged -> R.string.test_sim_changed
        is Refused.NoSlot -> when (why.rule) {
            PaceRule.SEND_LIMIT -> R.string.test_send_limit
            PaceRule.PLATFORM_GUARD -> R.string.test_platform_guard
            PaceRule.SEND_DELAY -> R.string.test_send_delay
        }
        Refused.TestUnderway -> R.string.test_underway
        Refused.InvalidRecipient -> R.string.test_no_number
        Refused.NoText -> R.string.test_no_text
        Refused.TooManyParts -> R.string.test_too_long
        Refused.TooManySpells, Refused.EmptySpell, Refused.InvalidWaits -> null
    }
}
