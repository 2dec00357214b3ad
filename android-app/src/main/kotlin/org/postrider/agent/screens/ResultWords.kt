package org.postrider.agent.screens

import org.postrider.agent.R

/** Sentences for the radio's results; the core decides what to do about them. */
object ResultWords {
    private val SENTENCES: List<Pair<Int, Set<Int>>> = listOf(
        R.string.result_ok to setOf(-1),
        R.string.result_not_permitted to setOf(-1000),
        R.string.result_radio_off to setOf(2),
        R.string.result_no_service to setOf(4, 135),
        R.string.result_radio_not_ready to setOf(9, 100, 115, 116),
        R.string.result_emergency to setOf(29),
        R.string.result_no_sim to setOf(120),
        R.string.result_in_a_call to setOf(121, 123),
        R.string.result_limit to setOf(5),
        R.string.result_no_room to setOf(13, 22, 105, 118),
        R.string.result_busy to setOf(106, 132, 136),
        R.string.result_barred to setOf(122),
        R.string.result_not_encodable to setOf(3, 14, 18, 107, 109),
        R.string.result_fixed_numbers to setOf(6),
        R.string.result_premium_refused to setOf(7, 8),
        R.string.result_refused_by_phone to setOf(11, 20, 24, 32, 33, 104, 114, 117),
        R.string.result_service_centre to setOf(19, 110),
        R.string.result_sim_trouble to setOf(126, 127, 128, 129, 130, 133, 134),
        R.string.result_network_refused to setOf(10, 102),
        R.string.result_network_error to setOf(17, 112),
        R.string.result_error to
            setOf(1, 12, 15, 16, 21, 23, 28, 30, 31, 101, 103, 108, 111, 113, 119, 124, 125, 131, 137),
    )

    /** The codes with their own sentence. */
    val CODES: Set<Int> = SENTENCES.flatMapTo(sortedSetOf()) { it.second }

    /** Returns the sentence for a result code; an unlisted one is an unknown result. */
    fun sentence(code: Int): Int =
        SENTENCES.firstOrNull { code in it.second }?.first ?: R.string.result_unknown
}
