package org.postrider.agent.service

import android.content.BroadcastReceiver
import android.content.Context
import android.content.Intent
import org.postrider.agent.PostriderApp

/** The phone was started and unlocked, or the app was updated. */
class StartReceiver : BroadcastReceiver() {
    override fun onReceive(context: Context, intent: Intent) {
        if (intent.action != Intent.ACTION_BOOT_COMPLETED && intent.action != Intent.ACTION_MY_PACKAGE_REPLACED) return
        val pending: PendingResult? = goAsync()
        PostriderApp.of(context).host.look { pending?.finish() }
    }
}
