package org.postrider.agent.radio

import android.content.ContentResolver
import android.database.ContentObserver
import android.net.Uri
import android.os.Handler
import android.provider.CallLog
import android.provider.Telephony
import org.postrider.agent.Trouble
import org.postrider.core.Log

/**
 * Reports changes of the platform's logs.
 *
 * A log that may not be read yet is watched from the next [watch] on.
 */
internal class LogWatcher(
    private val resolver: ContentResolver,
    private val handler: Handler,
    private val changed: (Log) -> Unit,
) {
    private val observers = HashMap<Uri, ContentObserver>()

    /** Watches every log that is not yet watched. */
    @Synchronized
    fun watch() {
        for ((uri, log) in WATCHED) if (uri !in observers) watch(uri, log)
    }

    @Synchronized
    fun stop() {
        observers.values.forEach(resolver::unregisterContentObserver)
        observers.clear()
    }

    private fun watch(uri: Uri, log: Log) {
        val observer = object : ContentObserver(handler) {
            override fun onChange(selfChange: Boolean) = changed(log)
        }
        try {
            resolver.registerContentObserver(uri, true, observer)
            observers[uri] = observer
        } catch (error: RuntimeException) {
            Trouble.failed("watching a log", error)
        }
    }

    private companion object {
        /** Multimedia messages are also reported under the common name, and sometimes only there. */
        val WATCHED = listOf(
            Telephony.Sms.CONTENT_URI to Log.SMS,
            Telephony.Mms.CONTENT_URI to Log.MMS,
            Telephony.MmsSms.CONTENT_URI to Log.MMS,
            CallLog.Calls.CONTENT_URI to Log.CALLS,
        )
    }
}
