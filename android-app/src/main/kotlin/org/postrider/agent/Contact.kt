package org.postrider.agent

import android.content.Context

/** When the hub was spoken with last, by the phone's clock, also over a restart. */
internal class Contact(context: Context, private val now: () -> Long = System::currentTimeMillis) {
    private val file = context.getSharedPreferences("contact", Context.MODE_PRIVATE)
    private var beganAtMs: Long? = null

    /** The agent begins: from now on a contact is missed, unless it was before. */
    fun begin() {
        beganAtMs = now()
        if (!file.contains(LAST)) write()
    }

    fun made() = write()

    /** It goes on; the process may end without a word. */
    fun lasts() {
        if (now() - file.getLong(LAST, 0) > LASTS_MS) write()
    }

    fun lost() = write()

    fun forget() = file.edit().clear().apply()

    /** Returns whether it is so long ago that the owner should know; an agent that has just begun may yet make it. */
    fun isLongAgo(): Boolean {
        val hadTime = beganAtMs?.let { now() - it > BEGINS_MS } ?: false
        return hadTime && file.contains(LAST) && now() - file.getLong(LAST, 0) > LONG_MS
    }

    private fun write() = file.edit().putLong(LAST, now()).apply()

    private companion object {
        const val LAST = "last"

        /** Networks come and go; an hour is more than that. */
        const val LONG_MS = 60 * 60_000L

        /** A contact that goes on is written down no more often. */
        const val LASTS_MS = 5 * 60_000L

        /** What a start may need to find the hub. */
        const val BEGINS_MS = 5 * 60_000L
    }
}
