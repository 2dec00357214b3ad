package org.postrider.agent.oracle

import java.util.Random
import org.junit.Assert.assertEquals
import org.junit.Test
import org.junit.runner.RunWith
import org.postrider.core.divideText
import org.robolectric.RobolectricTestRunner

/** 5,000 random texts by seed: Rust divides each like the platform. */
@RunWith(RobolectricTestRunner::class)
class RandomTextsTest {
    @Test
    fun `texts of letters, signs and marks on letters are divided alike`() = compare(SINGLES + MARKS, seed = 1)

    @Test
    fun `texts with emoji of several code points are divided alike`() {
        Oracle.needsClusters()
        compare(SINGLES + MARKS + CLUSTERS, seed = 2)
    }

    private fun compare(pieces: List<List<String>>, seed: Long) {
        val random = Random(seed)
        repeat(TEXTS / 2) { n ->
            val text = draw(random, pieces)
            assertEquals("text $n of seed $seed", Oracle.divide(text), divideText(text))
        }
    }

    /** Long stretches of one kind with others mixed in, so that cuts fall on and beside every kind. */
    private fun draw(random: Random, pieces: List<List<String>>): String {
        val kinds = List(1 + random.nextInt(3)) { pieces[random.nextInt(pieces.size)] }
        val length = random.nextInt(UNITS_MAX)
        return buildString {
            while (this.length < length) {
                val kind = kinds[random.nextInt(kinds.size)]
                repeat(1 + random.nextInt(40)) { append(kind[random.nextInt(kind.size)]) }
            }
        }
    }

    companion object {
        private const val TEXTS = 5_000
        private const val UNITS_MAX = 700

        private fun each(text: String) = text.map { it.toString() }

        private val SINGLES = listOf(
            each("abcdefghijklmnopqrstuvwxyz ABCDEFGHIJKLMNOPQRSTUVWXYZ 0123456789"),
            each("@\u00a3\$\u00a5\u00e8\u00e9\u00f9\u00ec\u00f2\u00c7\n\u00d8\u00f8\r\u00c5\u00e5"),
            each("\u0394_\u03a6\u0393\u039b\u03a9\u03a0\u03a8\u03a3\u0398\u039e"),
            each("^{}\\[~]|\u20ac"),
            each("\u0436\u0438\u0432\u0451\u0448"),
            each("\u4f60\u597d\u4e16\u754c"),
            each("\u0645\u0631\u062d\u0628\u0627"),
            each("\u00e7\u00ea`\t\u00fb\u0153"),
            listOf("\ud83d\ude00", "\ud83d\ude4f", "\ud834\udd1e", "\ud83c\udf0d"),
        )
        private val MARKS = listOf(listOf("e\u0301", "a\u0308", "n\u0303", "o\u0302\u0301"))
        private val CLUSTERS = listOf(
            listOf(
                "\ud83d\udc68\u200d\ud83d\udc69\u200d\ud83d\udc67\u200d\ud83d\udc66",
                "\ud83d\udc4b\ud83c\udffd",
                "\u2764\ufe0f",
                "\ud83c\uddea\ud83c\uddfa",
            ),
        )
    }
}
