package org.postrider.agent.oracle

import android.telephony.SmsMessage
import org.junit.Assert.assertEquals
import org.junit.Test
import org.junit.runner.RunWith
import org.postrider.core.divideText
import org.robolectric.ParameterizedRobolectricTestRunner
import org.robolectric.ParameterizedRobolectricTestRunner.Parameters

/** Each vector of the phone's design: the platform confirms it, and Rust gives the same parts. */
@RunWith(ParameterizedRobolectricTestRunner::class)
class VectorsTest(
    private val name: String,
    private val text: String,
    private val isSevenBit: Boolean,
    private val calculated: Int,
    private val sizes: List<Int>,
    private val hasCluster: Boolean,
) {
    @Test
    fun `the platform and Rust give the parts of the vector`() {
        if (hasCluster) Oracle.needsClusters()
        val counted = SmsMessage.calculateLength(text, false)
        assertEquals(isSevenBit, counted[3] == SmsMessage.ENCODING_7BIT)
        assertEquals(calculated, counted[0])
        val parts = Oracle.divide(text)
        assertEquals(sizes, parts.map { size(it) })
        assertEquals(parts, divideText(text))
    }

    private fun size(part: String) = if (isSevenBit) SmsMessage.calculateLength(part, false)[1] else part.length

    companion object {
        private const val EURO = "\u20ac"
        private const val ZHE = "\u0436"
        private const val SMILE = "\ud83d\ude00"
        private const val FAMILY = "\ud83d\udc68\u200d\ud83d\udc69\u200d\ud83d\udc67\u200d\ud83d\udc66"
        private const val FLAG = "\ud83c\uddea\ud83c\uddfa"

        private fun a(count: Int) = "a".repeat(count)
        private fun zhe(count: Int) = ZHE.repeat(count)

        private fun seven(name: String, text: String, calculated: Int, vararg sizes: Int): Array<Any> =
            arrayOf(name, text, true, calculated, sizes.toList(), false)

        private fun sixteen(name: String, text: String, calculated: Int, vararg sizes: Int): Array<Any> =
            arrayOf(name, text, false, calculated, sizes.toList(), false)

        private fun cluster(name: String, text: String, calculated: Int, vararg sizes: Int): Array<Any> =
            arrayOf(name, text, false, calculated, sizes.toList(), true)

        @JvmStatic
        @Parameters(name = "{0}")
        fun vectors(): List<Array<Any>> = listOf(
            seven("160 a", a(160), 1, 160),
            seven("161 a", a(161), 2, 153, 8),
            seven("306 a", a(306), 2, 153, 153),
            seven("307 a", a(307), 3, 153, 153, 1),
            seven("80 euro signs", EURO.repeat(80), 1, 160),
            seven("81 euro signs", EURO.repeat(81), 2, 152, 10),
            seven("76 euro signs, 154 a", EURO.repeat(76) + a(154), 2, 153, 153),
            seven("152 a, euro sign, 152 a", a(152) + EURO + a(152), 2, 152, 153, 1),
            seven("152 a, euro, 151 a, euro, 152 a", a(152) + EURO + a(151) + EURO + a(152), 3, 152, 153, 153, 1),
            sixteen("70 zhe", zhe(70), 1, 70),
            sixteen("71 zhe", zhe(71), 2, 67, 4),
            sixteen("134 zhe", zhe(134), 2, 67, 67),
            sixteen("135 zhe", zhe(135), 3, 67, 67, 1),
            sixteen("35 smiles", SMILE.repeat(35), 1, 70),
            sixteen("36 smiles", SMILE.repeat(36), 2, 66, 6),
            sixteen("67 smiles", SMILE.repeat(67), 3, 66, 66, 2),
            sixteen("159 a, backtick", a(159) + "`", 3, 67, 67, 26),
            seven("160 e with acute", "\u00e9".repeat(160), 1, 160),
            sixteen("160 c with cedilla", "\u00e7".repeat(160), 3, 67, 67, 26),
            sixteen("tab, 159 a", "\t" + a(159), 3, 67, 67, 26),
            seven("160 line feeds", "\n".repeat(160), 1, 160),
            cluster("66 zhe, family", zhe(66) + FAMILY, 2, 66, 11),
            sixteen("66 zhe, e and acute, 10 zhe", zhe(66) + "e\u0301" + zhe(10), 2, 66, 12),
            cluster("66 zhe, flag, 10 zhe", zhe(66) + FLAG + zhe(10), 2, 66, 14),
            cluster("60 zhe, family, 10 zhe", zhe(60) + FAMILY + zhe(10), 2, 60, 21),
            seven("empty", "", 1),
        )
    }
}
