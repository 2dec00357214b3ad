package org.postrider.agent.kit

import android.os.Looper
import java.security.Provider
import java.security.PublicKey
import java.security.Security
import java.security.cert.Certificate
import java.util.Collections
import java.util.Enumeration
import java.util.concurrent.CopyOnWriteArrayList

/** The platform's store of trusted roots, which is missing here: one of its own roots, one of its user's. */
object PlatformRoots {
    private const val NAME = "Roots"

    /** Whether each reading was on the main thread. */
    val readings = CopyOnWriteArrayList<Boolean>()

    fun install() {
        readings.clear()
        Security.addProvider(Platform())
    }

    fun remove() = Security.removeProvider(NAME)

    private class Platform : Provider(NAME, 1.0, "for tests") {
        init {
            put("KeyStore.AndroidCAStore", Roots::class.java.name)
        }
    }

    class Roots : SoftwareKeystore.Store() {
        override fun engineAliases(): Enumeration<String> {
            readings.add(Looper.getMainLooper().isCurrentThread)
            return Collections.enumeration(listOf("system:a.0", "user:b.0"))
        }

        override fun engineGetCertificate(alias: String): Certificate = Named(alias)
    }

    private class Named(private val name: String) : Certificate("named") {
        override fun getEncoded() = name.toByteArray()
        override fun getPublicKey(): PublicKey = error("not asked for")
        override fun verify(by: PublicKey?) = Unit
        override fun verify(by: PublicKey?, provider: String?) = Unit
        override fun toString() = name
    }
}
