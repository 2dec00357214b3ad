package org.postrider.agent.service

import android.app.Application
import android.app.NotificationManager
import android.app.job.JobParameters
import android.app.job.JobScheduler
import android.content.Context
import android.content.Intent
import android.content.pm.ServiceInfo
import android.os.Build
import android.os.Looper
import org.junit.After
import org.junit.Assert.assertEquals
import org.junit.Assert.assertFalse
import org.junit.Assert.assertNull
import org.junit.Assert.assertTrue
import org.junit.Rule
import org.junit.Test
import org.junit.runner.RunWith
import org.postrider.agent.PairingProgress
import org.postrider.agent.kit.HostKit
import org.postrider.agent.kit.PlatformRoots
import org.postrider.agent.kit.StubHub
import org.postrider.agent.kit.await
import org.postrider.core.AlertKind
import org.postrider.core.Event
import org.robolectric.Robolectric
import org.robolectric.RobolectricTestRunner
import org.robolectric.Shadows.shadowOf
import org.robolectric.android.controller.ServiceController
import org.robolectric.annotation.Config
import org.robolectric.shadow.api.Shadow
import org.robolectric.shadows.ShadowPowerManager
import java.util.concurrent.CountDownLatch

/** What starts the agent, keeps it alive and shows it, through the platform's components. */
@RunWith(RobolectricTestRunner::class)
class StartTest {
    @get:Rule
    val kit = HostKit()
    private val hub by lazy { StubHub() }
    private val context: Context get() = kit.app
    private val platform get() = shadowOf(kit.app as Application)
    private val jobs get() = context.getSystemService(JobScheduler::class.java)!!
    private val notices get() = shadowOf(context.getSystemService(NotificationManager::class.java))

    @After
    fun tearDown() {
        PlatformRoots.remove()
        hub.close()
    }

    private fun startedServices() = generateSequence { platform.nextStartedService }.toList()

    /** Sends one, and waits until it was handled. */
    private fun broadcast(intent: Intent) {
        context.sendBroadcast(intent.setPackage(context.packageName))
        shadowOf(Looper.getMainLooper()).idle()
        kit.awaitLook()
    }

    private fun stopAndRestart() {
        kit.host.stopByOwner()
        await("stopped") { !kit.host.status().isRunning }
        kit.restart()
        startedServices()
    }

    private fun service(intent: Intent? = null): ServiceController<GatewayService> =
        Robolectric.buildService(GatewayService::class.java, intent).create().startCommand(0, 1)

    private fun shown(): String? = notices.getNotification(Notices.STATE_ID)?.let {
        it.extras.getString("android.title") + " / " + it.extras.getString("android.text")
    }

    @Test
    fun `a phone that starts, or whose app was updated, goes on`() {
        kit.pair(hub.invitation)
        for (action in listOf(Intent.ACTION_BOOT_COMPLETED, Intent.ACTION_MY_PACKAGE_REPLACED)) {
            kit.restart()
            startedServices()
            context.sendBroadcast(Intent(action).setPackage(context.packageName))
            kit.awaitLink()
            assertTrue(startedServices().any { it.component?.className == GatewayService::class.java.name })
        }
    }

    @Test
    fun `a phone that was never paired stays silent when it starts`() {
        broadcast(Intent(Intent.ACTION_BOOT_COMPLETED))
        assertTrue(startedServices().isEmpty())
        assertFalse(kit.host.status().isRunning)
    }

    @Test
    fun `nothing of the platform starts what its owner has stopped`() {
        kit.pair(hub.invitation)
        stopAndRestart()
        broadcast(Intent(Intent.ACTION_BOOT_COMPLETED))
        broadcast(Intent(Intent.ACTION_TIME_CHANGED))
        broadcast(Intent(context, WakeReceiver::class.java).setAction(WakeReceiver.ACTION_ALARM))
        assertNull(jobs.getPendingJob(1))
        assertTrue(startedServices().isEmpty())
        assertFalse(kit.host.status().isRunning)
        val again = service()
        await("over") { shadowOf(again.get()).isStoppedBySelf }
        assertTrue(shadowOf(again.get()).isForegroundStopped)
        assertEquals("Stopped", notices.getNotification(Notices.STOPPED_ID).extras.getString("android.title"))
    }

    @Test
    fun `the main thread waits for no reading of the platform's roots`() {
        kit.pair(hub.invitation)
        kit.restart()
        PlatformRoots.install()
        service()
        // Invalid roots keep it from its hub, not from starting.
        await("read") { PlatformRoots.readings.isNotEmpty() }
        assertEquals(listOf(false), PlatformRoots.readings)
    }

    @Test
    fun `the alarm wakes a process that was ended`() {
        kit.pair(hub.invitation)
        kit.restart()
        context.sendBroadcast(Intent(context, WakeReceiver::class.java).setAction(WakeReceiver.ACTION_ALARM))
        kit.awaitLink()
    }

    @Test
    fun `a watchdog looks every quarter of an hour, also after a restart of the phone`() {
        kit.pair(hub.invitation)
        val job = jobs.getPendingJob(1)!!
        assertEquals(15 * 60_000L, job.intervalMillis)
        assertTrue(job.isPersisted)
        assertEquals(Watchdog::class.java.name, job.service.className)
        kit.restart()
        kit.host.look()
        kit.awaitLink()
        kit.host.unpair()
        await("unpaired") { kit.host.status().paired == null }
        await("no watchdog") { jobs.getPendingJob(1) == null }
    }

    @Test
    fun `the watchdog starts a process that was ended, and says when it has looked`() {
        kit.pair(hub.invitation)
        kit.restart()
        val watchdog = Robolectric.buildService(Watchdog::class.java).create().get()
        assertTrue(watchdog.onStartJob(Shadow.newInstanceOf(JobParameters::class.java)))
        await("looked") { shadowOf(watchdog).isJobFinished }
        kit.awaitLink()
        assertFalse(shadowOf(watchdog).isRescheduleNeeded)
    }

    @Test
    fun `the service says what it does, and its Stop is the owner's`() {
        kit.pair(hub.invitation)
        val controller = service()
        await("shown") { shown() == "Connected to 127.0.0.1 / Nothing waits" }
        assertEquals(Notices.STATE_ID, shadowOf(controller.get()).lastForegroundNotificationId)
        kit.host.settings.paused = true
        await("paused") { shown()!!.endsWith("Paused: nothing is sent") }
        val notice = notices.getNotification(Notices.STATE_ID)
        val stop = shadowOf(notice.actions.single().actionIntent)
        assertTrue(stop.isForegroundService)
        assertTrue(stop.isImmutable)
        controller.withIntent(stop.savedIntent).startCommand(0, 2)
        await("stopped") { !kit.host.status().isRunning }
        assertTrue(kit.host.settings.stoppedByOwner)
        assertTrue(shadowOf(controller.get()).isStoppedBySelf)
        assertTrue(kit.host.status().isStoppedByOwner)
        val start = notices.getNotification(Notices.STOPPED_ID).actions.single().actionIntent
        service(shadowOf(start).savedIntent)
        kit.awaitLink()
        assertFalse(kit.host.settings.stoppedByOwner)
        assertNull(notices.getNotification(Notices.STOPPED_ID))
    }

    @Test
    @Config(sdk = [30, 33, 35, 36])
    fun `the service names its kind where the platform asks for one`() {
        val kind = service().get().foregroundServiceType
        val isAsked = Build.VERSION.SDK_INT >= Build.VERSION_CODES.UPSIDE_DOWN_CAKE
        assertEquals(if (isAsked) ServiceInfo.FOREGROUND_SERVICE_TYPE_REMOTE_MESSAGING else 0, kind)
    }

    @Test
    fun `a service that ends takes no start with it that came in between`() {
        kit.pair(hub.invitation)
        val controller = service()
        controller.startCommand(0, 2)
        kit.host.stopByOwner()
        await("stopped") { shadowOf(controller.get()).isStoppedBySelf }
        assertEquals(2, shadowOf(controller.get()).stopSelfId)
    }

    @Test
    fun `an alert that was swiped away stands, and is not rung again by the next process`() {
        kit.host.book.hear(Event.LookAtPhone(0u))
        kit.host.book.hear(Event.SimChanged(0u))
        val tag = AlertKind.LOOK_AT_PHONE.name + "/0"
        shadowOf(notices.getNotification(tag, Notices.ALERT_ID).deleteIntent).savedIntent.let(context::sendBroadcast)
        shadowOf(Looper.getMainLooper()).idle()
        kit.restart()
        context.getSystemService(NotificationManager::class.java)!!.cancelAll()
        assertEquals(2, kit.host.book.alerts().size)
        assertNull(notices.getNotification(tag, Notices.ALERT_ID))
        assertTrue(notices.getNotification(AlertKind.SIM_CHANGED.name + "/0", Notices.ALERT_ID) != null)
        // An alert that comes back after its end is new.
        kit.host.book.hear(Event.SimReleased(0u))
        kit.host.book.hear(Event.LookAtPhone(0u))
        assertTrue(notices.getNotification(tag, Notices.ALERT_ID) != null)
    }

    @Test
    fun `the phone stays awake until the agent has taken a wake-up`() {
        kit.pair(hub.invitation)
        val isBusy = CountDownLatch(1)
        kit.host.look { isBusy.await() }
        context.sendBroadcast(Intent(context, WakeReceiver::class.java).setAction(WakeReceiver.ACTION_ALARM))
        shadowOf(Looper.getMainLooper()).idle()
        val lock = ShadowPowerManager.getLatestWakeLock()
        assertEquals("postrider:wake", shadowOf(lock).tag)
        assertTrue(lock.isHeld)
        isBusy.countDown()
        await("released") { !lock.isHeld }
    }

    @Test
    fun `joining a hub runs in the foreground until it is over`() {
        hub.say("pairing", "\"wait\"")
        kit.host.beginPairing(hub.invitation)
        await("digits") { kit.host.status().pairing is PairingProgress.Comparing }
        assertTrue(startedServices().any { it.component?.className == GatewayService::class.java.name })
        val controller = service()
        assertEquals(Notices.STATE_ID, shadowOf(controller.get()).lastForegroundNotificationId)
        assertTrue(shown()!!.startsWith("Joining a hub"))
        assertFalse(shadowOf(controller.get()).isStoppedBySelf)
        kit.host.cancelPairing()
        await("over") { shadowOf(controller.get()).isStoppedBySelf }
    }

    @Test
    fun `a service that the platform keeps from the foreground lets the agent run, and is started again until it is there`() {
        kit.pair(hub.invitation)
        kit.restart()
        val controller = Robolectric.buildService(GatewayService::class.java).create()
        shadowOf(controller.get()).setThrowInStartForeground(IllegalStateException("from the background"))
        controller.startCommand(0, 1)
        kit.awaitLink()
        startedServices()
        kit.awaitLook()
        assertEquals(listOf(GatewayService::class.java.name), startedServices().map { it.component!!.className })
        shadowOf(controller.get()).setThrowInStartForeground(null)
        controller.startCommand(0, 2)
        startedServices()
        kit.awaitLook()
        assertEquals(emptyList<Intent>(), startedServices())
        controller.destroy()
        kit.awaitLook()
        assertEquals(1, startedServices().size)
    }

    @Test
    fun `texts that may not be sent are an alert until they may`() {
        platform.denyPermissions(android.Manifest.permission.SEND_SMS)
        kit.pair(hub.invitation)
        await("alert") { kit.host.status().alerts.any { it.kind == AlertKind.MAY_NOT_SEND } }
        assertTrue(android.Manifest.permission.SEND_SMS in kit.host.status().missing)
        platform.grantPermissions(android.Manifest.permission.SEND_SMS)
        kit.host.refresh()
        await("no alert") { kit.host.status().alerts.isEmpty() }
    }
}
