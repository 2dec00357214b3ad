package org.postrider.agent.sms

import android.app.PendingIntent
import android.content.Intent
import org.postrider.agent.radio.app

/** What the platform still holds of the parts' intents. */
internal object Intents {
    fun exists(name: PartName): Boolean {
        val once = if (name.word == Word.SENT) PendingIntent.FLAG_ONE_SHOT else 0
        val flags = PendingIntent.FLAG_NO_CREATE or PendingIntent.FLAG_MUTABLE or once
        val intent = Intent(app, ResultReceiver::class.java).setData(name.toUri())
        return PendingIntent.getBroadcast(app, 0, intent, flags) != null
    }
}
