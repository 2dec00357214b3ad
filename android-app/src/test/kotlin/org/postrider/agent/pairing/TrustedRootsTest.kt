package org.postrider.agent.pairing

import org.junit.After
import org.junit.Assert.assertArrayEquals
import org.junit.Assert.assertTrue
import org.junit.Test
import org.junit.runner.RunWith
import org.postrider.agent.kit.SoftwareKeystore
import org.robolectric.RobolectricTestRunner
import java.security.Provider
import java.security.PublicKey
import java.security.Security
import java.security.cert.Certificate
import java.util.Collections
import java.util.Enumeration

@RunWith(RobolectricTestRunner::class)
class TrustedRootsTest {
    @After
    fun tearDown() = Security.removeProvider(NAME)

    @Test
    fun `the platform's roots are read, and those of its user are not`() {
        Security.addProvider(Platform())
        assertArrayEquals("system:a.0".toByteArray(), TrustedRoots.read().single())
    }

    @Test
    fun `a platform that gives none has none`() = assertTrue(TrustedRoots.read().isEmpty())

    private class Platform : Provider(NAME, 1.0, "for tests") {
        init {
            put("KeyStore.AndroidCAStore", Roots::class.java.name)
        }
    }

    class Roots : SoftwareKeystore.Store() {
        override fun engineAliases(): Enumeration<String> = Collections.enumeration(listOf("system:a.0", "user:b.0"))

        override fun engineGetCertificate(alias: String): Certificate = Named(alias)
    }

    private class Named(private val name: String) : Certificate("named") {
        override fun getEncoded() = name.toByteArray()
        override fun getPublicKey(): PublicKey = error("not asked for")
        override fun verify(by: PublicKey?) = Unit
        override fun verify(by: PublicKey?, provider: String?) = Unit
        override fun toString() = name
    }

    private companion object {
        const val NAME = "Roots"
    }
}
