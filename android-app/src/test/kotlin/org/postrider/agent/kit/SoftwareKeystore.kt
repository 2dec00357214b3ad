package org.postrider.agent.kit

import android.security.keystore.KeyGenParameterSpec
import java.io.InputStream
import java.io.OutputStream
import java.security.Key
import java.security.KeyPair
import java.security.KeyPairGenerator
import java.security.KeyPairGeneratorSpi
import java.security.KeyStoreSpi
import java.security.PrivateKey
import java.security.Provider
import java.security.PublicKey
import java.security.SecureRandom
import java.security.Security
import java.security.cert.Certificate
import java.security.spec.AlgorithmParameterSpec
import java.util.Collections
import java.util.Date
import java.util.Enumeration

/**
 * The platform's keystore, which is missing here, in software and under its own name: the app's code is as it ships.
 *
 * Its keys belong to the process, as a phone's keys to the phone; [install] begins without any.
 */
object SoftwareKeystore {
    const val NAME = "AndroidKeyStore"

    /** The key pairs, by alias. */
    val keys = HashMap<String, KeyPair>()

    /** The requested keys, oldest first. */
    val asked = ArrayList<KeyGenParameterSpec>()

    /** Throws what the keystore should throw, if anything. */
    var fault: () -> Unit = {}

    fun install() {
        remove()
        Security.addProvider(Software())
    }

    fun remove() {
        Security.removeProvider(NAME)
        keys.clear()
        asked.clear()
        fault = {}
    }

    private class Software : Provider(NAME, 1.0, "for tests") {
        init {
            put("KeyStore.$NAME", Store::class.java.name)
            put("KeyPairGenerator.EC", Generator::class.java.name)
        }
    }

    class Generator : KeyPairGeneratorSpi() {
        private lateinit var spec: KeyGenParameterSpec

        override fun initialize(size: Int, random: SecureRandom?) = error("not asked for")

        override fun initialize(params: AlgorithmParameterSpec, random: SecureRandom?) {
            spec = params as KeyGenParameterSpec
        }

        override fun generateKeyPair(): KeyPair {
            asked.add(spec)
            fault()
            val software = KeyPairGenerator.getInstance("EC", "Conscrypt")
            software.initialize(spec.algorithmParameterSpec)
            return software.generateKeyPair().also { keys[spec.keystoreAlias] = it }
        }
    }

    /** A certificate of which only the key is used. */
    private class Bare(private val key: PublicKey) : Certificate("bare") {
        override fun getEncoded(): ByteArray = key.encoded
        override fun getPublicKey(): PublicKey = key
        override fun verify(by: PublicKey?) = Unit
        override fun verify(by: PublicKey?, provider: String?) = Unit
        override fun toString() = "bare"
    }

    open class Store : KeyStoreSpi() {
        override fun engineLoad(stream: InputStream?, password: CharArray?) = fault()

        override fun engineGetKey(alias: String, password: CharArray?): Key? = keys[alias]?.private

        override fun engineGetCertificate(alias: String): Certificate? = keys[alias]?.let { Bare(it.public) }

        override fun engineDeleteEntry(alias: String) {
            keys.remove(alias)
        }

        override fun engineAliases(): Enumeration<String> = Collections.enumeration(keys.keys)

        override fun engineContainsAlias(alias: String) = alias in keys

        override fun engineSize() = keys.size

        override fun engineIsKeyEntry(alias: String) = alias in keys

        override fun engineIsCertificateEntry(alias: String) = false

        override fun engineGetCertificateChain(alias: String): Array<Certificate>? = null

        override fun engineGetCreationDate(alias: String) = Date(0)

        override fun engineGetCertificateAlias(certificate: Certificate?): String? = null

        override fun engineSetKeyEntry(alias: String, key: ByteArray?, chain: Array<out Certificate>?) = error("never")

        override fun engineSetKeyEntry(alias: String, key: Key?, word: CharArray?, chain: Array<out Certificate>?) {
            check(key !is PrivateKey) { "a key is made in the keystore, never put there" }
        }

        override fun engineSetCertificateEntry(alias: String, certificate: Certificate?) = error("never")

        override fun engineStore(stream: OutputStream?, password: CharArray?) = error("never")
    }
}
