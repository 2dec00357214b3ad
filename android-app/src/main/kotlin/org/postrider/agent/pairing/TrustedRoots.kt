package org.postrider.agent.pairing

import org.postrider.agent.Trouble
import java.io.IOException
import java.security.GeneralSecurityException
import java.security.KeyStore

/**
 * The roots that the platform trusts, without those that its user added, which apps do not trust by default.
 * A hub with its own certificate is known by the pins of its invitation.
 */
object TrustedRoots {
    private const val STORE = "AndroidCAStore"
    private const val OF_THE_PLATFORM = "system:"

    /** Returns the roots in DER; none if the platform gives none. */
    fun read(): List<ByteArray> = try {
        val store = KeyStore.getInstance(STORE).apply { load(null) }
        store.aliases().asSequence().filter { it.startsWith(OF_THE_PLATFORM) }
            .mapNotNull { store.getCertificate(it)?.encoded }
            .toList()
    } catch (error: GeneralSecurityException) {
        none(error)
    } catch (error: IOException) {
        none(error)
    }

    private fun none(error: Exception): List<ByteArray> {
        Trouble.failed("reading the trusted roots", error)
        return emptyList()
    }
}
