package org.postrider.agent

import org.junit.Assert.assertEquals
import org.junit.Test

class NativeCoreTest {
    @Test
    fun `a phone loads the core by its name, a computer leaves it to the tests`() {
        val loaded = mutableListOf<String>()
        NativeCore.load(loaded::add)
        assertEquals(emptyList<String>(), loaded)
        val override = System.clearProperty(OVERRIDE)
        try {
            NativeCore.load(loaded::add)
        } finally {
            System.setProperty(OVERRIDE, override)
        }
        assertEquals(listOf("postrider_android"), loaded)
    }

    private companion object {
        const val OVERRIDE = "uniffi.component.postrider_android.libraryOverride"
    }
}
