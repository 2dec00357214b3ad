package org.postrider.agent.pairing

import org.junit.After
import org.junit.Assert.assertArrayEquals
import org.junit.Assert.assertTrue
import org.junit.Test
import org.junit.runner.RunWith
import org.postrider.agent.kit.PlatformRoots
import org.robolectric.RobolectricTestRunner

@RunWith(RobolectricTestRunner::class)
class TrustedRootsTest {
    @After
    fun tearDown() = PlatformRoots.remove()

    @Test
    fun `the platform's roots are read, and those of its user are not`() {
        PlatformRoots.install()
        assertArrayEquals("system:a.0".toByteArray(), TrustedRoots.read().single())
    }

    @Test
    fun `a platform that gives none has none`() = assertTrue(TrustedRoots.read().isEmpty())
}
