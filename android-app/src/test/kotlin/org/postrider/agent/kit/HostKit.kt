package org.postrider.agent.kit

import android.Manifest.permission
import android.app.ActivityManager
import android.app.ApplicationExitInfo
import org.junit.rules.ExternalResource
import org.postrider.agent.AgentHost
import org.postrider.agent.PairingProgress
import org.postrider.agent.PostriderApp
import org.postrider.core.Invitation
import org.robolectric.RuntimeEnvironment
import org.robolectric.Shadows.shadowOf
import org.robolectric.shadows.ShadowActivityManager.ApplicationExitInfoBuilder

/** The whole app, with a keystore; [restart] simulates the end of its process. */
class HostKit : ExternalResource() {
    val app: PostriderApp get() = RuntimeEnvironment.getApplication() as PostriderApp
    val host: AgentHost get() = app.host
    private var ends = 100

    override fun before() {
        SoftwareKeystore.install()
        shadowOf(app).grantPermissions(
            permission.SEND_SMS, permission.RECEIVE_SMS, permission.READ_SMS, permission.READ_PHONE_STATE,
            permission.READ_PHONE_NUMBERS,
        )
    }

    override fun after() {
        app.onTerminate()
        SoftwareKeystore.remove()
    }

    /** Ends the process; what is on disk and in the keystore stays. */
    fun restart() = app.onTerminate()

    /** The process ends, and the platform records why. */
    fun end(reason: Int, description: String? = null, at: Long = System.currentTimeMillis()) {
        restart()
        val end = ApplicationExitInfoBuilder.newBuilder().setProcessName(app.packageName).setPid(ends++)
            .setReason(reason).setDescription(description).setTimestamp(at).build()
        shadowOf(app.getSystemService(ActivityManager::class.java)).addApplicationExitInfo(end)
    }

    /** Its owner stops the app in Android's list of running apps. */
    fun stopInAndroid() =
        end(ApplicationExitInfo.REASON_USER_REQUESTED, "fully stop ${app.packageName}/0 by user request")

    /** Joins a hub and waits until it holds the connection. */
    fun pair(invitation: Invitation) {
        host.settings.isForwarding = true
        host.beginPairing(invitation)
        await("paired") { host.status().pairing.let { it is PairingProgress.Over } }
        check(host.status().paired != null) { host.status().pairing.toString() }
        host.cancelPairing()
        awaitLink()
    }

    /** Makes the host check everything, and waits for that and for earlier work. */
    fun awaitLook() {
        var looked = false
        host.look { looked = true }
        await("looked") { looked }
    }

    fun awaitLink() = await("linked") { host.status().isLinked }
}
