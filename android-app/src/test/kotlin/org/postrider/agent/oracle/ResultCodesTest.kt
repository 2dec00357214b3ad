package org.postrider.agent.oracle

import android.telephony.SmsManager
import java.lang.reflect.Modifier
import org.junit.Assert.assertEquals
import org.junit.Assert.assertTrue
import org.junit.Test
import org.junit.runner.RunWith
import org.postrider.core.explainResult
import org.robolectric.RobolectricTestRunner

/** The table of result codes against the platform's constants. */
@RunWith(RobolectricTestRunner::class)
class ResultCodesTest {
    private val constants = SmsManager::class.java.fields
        .filter { Modifier.isStatic(it.modifiers) && it.type == Int::class.javaPrimitiveType }
        .filter { field -> field.name.startsWith(PREFIX) && NOT_OF_SENDING.none { it in field.name } }
        .associate { it.getInt(null) to it.name }

    @Test
    fun `Rust names each code as the platform does`() {
        assertTrue(constants.size > 50)
        val other = constants.filter { (code, name) -> explainResult(code).name != name }
        assertEquals(emptyMap<Int, String>(), other)
    }

    @Test
    fun `a code that the platform does not have proves nothing`() {
        val unlisted = (-10..300).filter { it !in constants && it != -1 }
        assertEquals(emptyList<Int>(), unlisted.filter { explainResult(it).isProof })
    }

    companion object {
        private const val PREFIX = "RESULT_"

        /** Codes of receiving, of a car's messages by Bluetooth, and one without meaning. */
        private val NOT_OF_SENDING = listOf("RECEIVE", "DISPATCH", "MMS", "STATUS", "BLUETOOTH", "ERROR_NONE")
    }
}
