package org.postrider.agent.oracle

import android.telephony.SmsMessage
import org.junit.After
import org.junit.Assert.assertEquals
import org.junit.Test
import org.junit.runner.RunWith
import org.postrider.core.countParts
import org.postrider.core.decodeSeptets
import org.robolectric.RobolectricTestRunner

/** Compares the platform's national tables with Rust's, and the parts that they give. */
@RunWith(RobolectricTestRunner::class)
class ShiftTablesTest {
    private val alphabet = Class.forName("com.android.internal.telephony.GsmAlphabet")

    @After
    fun `no language`() = enable()

    @Test
    fun `each place of each locking table is the platform's`() {
        for ((language, table) in tables("sLanguageTables").withIndex()) {
            // An empty one stands for the default.
            val expected = table.ifEmpty { tables("sLanguageTables")[0] }
            for (place in (0..127) - ESCAPE) {
                assertEquals("$language $place", expected[place].toString(), decode(language, 0, place))
            }
        }
    }

    @Test
    fun `each place of each single shift table is the platform's`() {
        val plain = tables("sLanguageTables")[0]
        for ((language, table) in tables("sLanguageShiftTables").withIndex()) {
            for (place in (0..127) - ESCAPE) {
                // What is missing is read in the locking table, by both.
                val expected = if (table[place] == ' ') plain[place] else table[place]
                assertEquals("$language $place", expected.toString(), decode(0, language, ESCAPE, place))
            }
        }
    }

    @Test
    fun `the platform makes as many parts as Rust counts`() {
        val letters = listOf("\u015f", "\u0131", "\u00e7", "\u20ac", "a", "A", "\u00c1", "\u00e3", "\u0905", "\u0436")
        for (languages in listOf(byteArrayOf(), byteArrayOf(1), byteArrayOf(2), byteArrayOf(3), byteArrayOf(6), byteArrayOf(1, 3))) {
            enable(*languages.map(Byte::toInt).toIntArray())
            for (one in letters) for (other in letters) for (length in listOf(1, 67, 70, 71, 149, 155, 156, 300)) {
                val text = one.repeat(length - length / 3) + other.repeat(length / 3)
                val name = "${languages.toList()} $one $other $length"
                assertEquals(name, Oracle.divide(text).size, countParts(text, languages).toInt())
            }
        }
    }

    private fun decode(locking: Int, single: Int, vararg septets: Int) =
        decodeSeptets(septets.map(Int::toByte).toByteArray(), locking.toUByte(), single.toUByte())

    private fun tables(name: String): List<String> {
        val field = alphabet.getDeclaredField(name).apply { isAccessible = true }
        @Suppress("UNCHECKED_CAST")
        return (field.get(null) as Array<String>).toList()
    }

    private fun enable(vararg languages: Int) {
        // It reads the network's tables only at first use.
        SmsMessage.calculateLength("a", false)
        for (set in listOf("setEnabledSingleShiftTables", "setEnabledLockingShiftTables")) {
            alphabet.getDeclaredMethod(set, IntArray::class.java).apply { isAccessible = true }.invoke(null, languages)
        }
    }

    private companion object {
        const val ESCAPE = 0x1b
    }
}
