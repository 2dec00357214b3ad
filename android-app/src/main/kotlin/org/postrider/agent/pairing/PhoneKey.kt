package org.postrider.agent.pairing

import android.content.Context
import android.content.pm.PackageManager
import android.os.Build
import android.os.SystemClock
import android.security.keystore.KeyGenParameterSpec
import android.security.keystore.KeyPermanentlyInvalidatedException
import android.security.keystore.KeyProperties
import org.postrider.agent.Trouble
import org.postrider.core.Keystore
import org.postrider.core.ShellException
import java.math.BigInteger
import java.security.InvalidKeyException
import java.security.KeyPairGenerator
import java.security.KeyStore
import java.security.PrivateKey
import java.security.ProviderException
import java.security.PublicKey
import java.security.Signature
import java.security.UnrecoverableKeyException
import java.security.interfaces.ECPublicKey
import java.security.spec.ECGenParameterSpec

/**
 * The phone's key: made and used only in the platform's keystore.
 *
 * The app remembers that it has made one: a key that is gone is lost, and is not replaced without the hub's
 * knowledge. [forget] and the next use replace a lost key when the phone is paired again.
 */
class PhoneKey(
    private val context: Context,
    private val provider: String = ANDROID_KEYSTORE,
    private val onLost: () -> Unit = {},
) : Keystore {
    private val marks = context.getSharedPreferences(FILE, Context.MODE_PRIVATE)

    /** Whether the key was lost, so that the phone must be paired again. */
    val isLost: Boolean get() = marks.getBoolean(LOST, false)

    /** Returns the uncompressed point; makes the key if there has been none. */
    @Synchronized
    override fun publicKey(): ByteArray = use {
        val key = store().getCertificate(ALIAS)?.publicKey
        if (key == null && marks.getBoolean(MADE, false)) throw UnrecoverableKeyException()
        pointOf(key ?: make())
    }

    @Synchronized
    override fun sign(bytes: ByteArray): ByteArray = use {
        val key = store().getKey(ALIAS, null) as? PrivateKey ?: throw UnrecoverableKeyException()
        Signature.getInstance("SHA256withECDSA").run {
            initSign(key)
            update(bytes)
            sign()
        }
    }

    /** Removes the key: the next pairing makes another. A lost key counts as lost until [accept]. */
    @Synchronized
    fun forget() {
        marks.edit().remove(MADE).remove(DOUBTED_AT).commit()
        try {
            store().deleteEntry(ALIAS)
        } catch (error: Exception) {
            Trouble.failed("removing the key", error)
        }
    }

    /** The phone is paired with this key, or is not paired any more: no key is lost. */
    @Synchronized
    fun accept() {
        marks.edit().remove(LOST).commit()
    }

    private fun make(): PublicKey {
        val made = if (hasStrongBox()) makeIn(isStrongBox = true) ?: makeIn(isStrongBox = false) else makeIn(false)
        marks.edit().putBoolean(MADE, true).commit()
        return made ?: throw UnrecoverableKeyException()
    }

    private fun makeIn(isStrongBox: Boolean): PublicKey? {
        val spec = KeyGenParameterSpec.Builder(ALIAS, KeyProperties.PURPOSE_SIGN)
            .setAlgorithmParameterSpec(ECGenParameterSpec("secp256r1"))
            .setDigests(KeyProperties.DIGEST_SHA256)
        if (!isStrongBox || Build.VERSION.SDK_INT < Build.VERSION_CODES.P) return generate(spec)
        return try {
            generate(spec.setIsStrongBoxBacked(true))
        } catch (error: ProviderException) {
            // Some makers' security chips are full, busy or broken, and do not say that they are unavailable.
            Trouble.failed("making the key in the security chip", error)
            null
        }
    }

    private fun generate(spec: KeyGenParameterSpec.Builder): PublicKey =
        KeyPairGenerator.getInstance(KeyProperties.KEY_ALGORITHM_EC, provider).run {
            initialize(spec.build())
            generateKeyPair().public
        }

    private fun hasStrongBox() = Build.VERSION.SDK_INT >= Build.VERSION_CODES.P &&
        context.packageManager.hasSystemFeature(PackageManager.FEATURE_STRONGBOX_KEYSTORE)

    private fun store(): KeyStore = KeyStore.getInstance(provider).apply { load(null) }

    /** Distinguishes a lost key from a keystore that fails for a while. */
    private fun <T> use(work: () -> T): T = try {
        work().also { if (marks.contains(DOUBTED_AT)) marks.edit().remove(DOUBTED_AT).commit() }
    } catch (error: Exception) {
        Trouble.failed("using the key", error)
        if (!isGone(error)) throw ShellException.Failed(error.javaClass.simpleName)
        marks.edit().putBoolean(LOST, true).commit()
        onLost()
        throw ShellException.KeyLost()
    }

    private fun isGone(error: Exception): Boolean {
        val causes = generateSequence<Throwable>(error) { it.cause }.take(CAUSES_MAX)
        return causes.any { it is KeyPermanentlyInvalidatedException || isGoneBelow(it) } ||
            (causes.any { it is UnrecoverableKeyException || it is InvalidKeyException } && isDoubtedForLong())
    }

    /** The platform reports a lost key and a passing fault in the same way: only time tells them apart. */
    private fun isDoubtedForLong(): Boolean {
        val now = SystemClock.elapsedRealtime()
        val since = marks.getLong(DOUBTED_AT, Long.MAX_VALUE)
        // The clock starts again with each boot, and so does the doubt.
        if (since > now) marks.edit().putLong(DOUBTED_AT, now).commit()
        return now - since >= DOUBT_MS
    }

    private fun isGoneBelow(error: Throwable): Boolean = Build.VERSION.SDK_INT >= Build.VERSION_CODES.TIRAMISU &&
        error is android.security.KeyStoreException && error.numericErrorCode in GONE

    private companion object {
        const val ANDROID_KEYSTORE = "AndroidKeyStore"
        const val ALIAS = "phone"
        const val FILE = "key"
        const val MADE = "made"
        const val LOST = "lost"
        const val DOUBTED_AT = "doubted_at"
        const val DOUBT_MS = 10 * 60_000L
        const val COORDINATE_BYTES = 32
        const val CAUSES_MAX = 8

        /** `ERROR_KEY_CORRUPTED` and `ERROR_KEY_DOES_NOT_EXIST` of the platform. */
        val GONE = setOf(6, 7)

        fun pointOf(key: PublicKey): ByteArray {
            val point = (key as? ECPublicKey ?: throw InvalidKeyException()).w
            return byteArrayOf(4) + coordinate(point.affineX) + coordinate(point.affineY)
        }

        /** A number's bytes may lack leading zeros, or have one for its sign. */
        fun coordinate(number: BigInteger): ByteArray {
            val bytes = number.toByteArray().takeLast(COORDINATE_BYTES).toByteArray()
            return ByteArray(COORDINATE_BYTES - bytes.size) + bytes
        }
    }
}
