package org.postrider.agent.service

import android.app.Notification
import android.app.NotificationManager
import android.app.Service
import android.content.Context
import android.content.Intent
import android.content.pm.ServiceInfo
import android.os.Build
import android.os.Handler
import android.os.IBinder
import android.os.Looper
import org.postrider.agent.AgentHost
import org.postrider.agent.PostriderApp
import org.postrider.agent.Trouble

/** Keeps the process alive, and shows its state in the ongoing notification. */
class GatewayService : Service() {
    private val host get() = PostriderApp.of(this).host
    private val notice by lazy { StateNotice(this) }
    private val notices by lazy { getSystemService(NotificationManager::class.java) }
    private val listener = AgentHost.Listener { show() }
    private val main = Handler(Looper.getMainLooper())
    private var shown: List<String?>? = null
    private var isLate = false
    private var lastStart = 0
    private var isOver = false

    override fun onBind(intent: Intent?): IBinder? = null

    override fun onCreate() {
        super.onCreate()
        Notices.prepare(this)
        host.addListener(listener)
    }

    override fun onStartCommand(intent: Intent?, flags: Int, startId: Int): Int {
        isOver = false
        lastStart = startId
        // The platform demands it within seconds of every start.
        host.isInForeground = enterForeground()
        when (intent?.action) {
            ACTION_STOP -> host.stopByOwner()
            ACTION_START -> host.startByOwner()
            else -> host.serviceStarted()
        }
        if (host.mayStay()) Notices.hideStopped(this) else leave()
        return if (isOver) START_NOT_STICKY else START_STICKY
    }

    override fun onDestroy() {
        host.isInForeground = false
        host.removeListener(listener)
        main.removeCallbacksAndMessages(null)
        super.onDestroy()
    }

    private fun current(): Notification = notice.running(host.status(), host.settings.paused)

    /** The platform may refuse it from the background: then the host tries again at each alarm and check. */
    private fun enterForeground(): Boolean = isAllowed("entering the foreground") {
        if (Build.VERSION.SDK_INT >= Build.VERSION_CODES.UPSIDE_DOWN_CAKE) {
            startForeground(Notices.STATE_ID, current(), ServiceInfo.FOREGROUND_SERVICE_TYPE_REMOTE_MESSAGING)
        } else {
            startForeground(Notices.STATE_ID, current())
        }
    }

    private fun show() {
        if (isOver) return
        if (!host.mayStay()) return leave()
        if (isLate) return
        val next = current()
        if (words(next) == shown) return
        shown = words(next)
        notices?.notify(Notices.STATE_ID, next)
        // The platform drops notifications that come too often, and the last would be missing.
        isLate = true
        main.postDelayed(::showAgain, PAUSE_MS)
    }

    private fun showAgain() {
        isLate = false
        show()
    }

    private fun words(notice: Notification): List<String?> =
        listOf(Notification.EXTRA_TITLE, Notification.EXTRA_TEXT).map { notice.extras.getCharSequence(it)?.toString() }

    private fun leave() {
        isOver = true
        shown = null
        host.isInForeground = false
        stopForeground(STOP_FOREGROUND_REMOVE)
        if (host.settings.stoppedByOwner) Notices.showStopped(this, host.status().isStoppedInAndroid)
        // If somebody asked for a start in between, the service stays.
        stopSelf(lastStart)
    }

    companion object {
        private const val PAUSE_MS = 1_000L

        /** The owner stops the agent. */
        const val ACTION_STOP = "org.postrider.agent.STOP"

        /** The owner starts it again. */
        const val ACTION_START = "org.postrider.agent.START"

        /** Starts the service, if the platform allows it now. */
        fun start(context: Context) {
            isAllowed("starting the service") {
                context.startForegroundService(Intent(context, GatewayService::class.java))
            }
        }

        private fun isAllowed(what: String, work: () -> Unit): Boolean = try {
            work()
            true
        } catch (error: IllegalStateException) {
            Trouble.failed(what, error)
            false
        } catch (error: SecurityException) {
            Trouble.failed(what, error)
            false
        }
    }
}
