package org.postrider.agent.sms

import android.app.PendingIntent
import android.content.Context
import android.content.Intent
import android.os.Build

/**
 * The intents by which the platform reports on each part.
 *
 * They are mutable, because the platform adds the cause and the report. A sent result comes once. Reports may
 * come several times for a part, so those intents stay until no further report can come.
 */
internal class PartIntents(private val context: Context) {
    /** Returns the intent of a name, and makes it if necessary. */
    fun make(name: PartName): PendingIntent = checkNotNull(find(name, 0)) { "the platform gave no intent" }

    /** Cancels the intent of a name, if there is one. */
    fun cancel(name: PartName) {
        find(name, PendingIntent.FLAG_NO_CREATE)?.cancel()
    }

    private fun find(name: PartName, flags: Int): PendingIntent? {
        val intent = Intent(context, ResultReceiver::class.java).setData(name.toUri())
        return PendingIntent.getBroadcast(context, 0, intent, flags or identity(name.word))
    }

    /** The platform counts these flags as part of the intent's identity, so they are the same in each call. */
    private fun identity(word: Word): Int {
        val mutable = if (Build.VERSION.SDK_INT >= Build.VERSION_CODES.S) PendingIntent.FLAG_MUTABLE else 0
        return when (word) {
            Word.SENT -> mutable or PendingIntent.FLAG_ONE_SHOT
            Word.REPORTED -> mutable
        }
    }
}
