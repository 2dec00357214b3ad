package org.postrider.agent.device

import android.content.Context
import android.util.Base64
import java.security.MessageDigest
import java.security.SecureRandom

/**
 * Tells one SIM from another without naming it.
 *
 * The platform gives each SIM a number and keeps it; apps cannot read a SIM's own serial number.
 * The network's own data is left out: it is known only some time after the start, and may
 * change with an update, and a changed fingerprint stops the SIM. The salt stays on this phone.
 */
class SimFingerprints(context: Context) {
    private val kept = context.getSharedPreferences("fingerprints", Context.MODE_PRIVATE)

    /** Returns the fingerprint of a subscription. */
    fun of(subscriptionId: Int): String {
        val digest = MessageDigest.getInstance("SHA-256")
        digest.update(salt())
        digest.update(subscriptionId.toString().toByteArray())
        return text(digest.digest().copyOf(FINGERPRINT_BYTES))
    }

    @Synchronized
    private fun salt(): ByteArray {
        kept.getString(SALT, null)?.let { return Base64.decode(it, FLAGS) }
        val salt = ByteArray(SALT_BYTES).also(SecureRandom()::nextBytes)
        kept.edit().putString(SALT, text(salt)).commit()
        return salt
    }

    private companion object {
        const val SALT = "salt"
        const val SALT_BYTES = 32
        const val FINGERPRINT_BYTES = 12
        const val FLAGS = Base64.URL_SAFE or Base64.NO_WRAP or Base64.NO_PADDING

        fun text(bytes: ByteArray): String = Base64.encodeToString(bytes, FLAGS)
    }
}
