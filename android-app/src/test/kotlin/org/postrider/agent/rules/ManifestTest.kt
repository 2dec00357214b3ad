package org.postrider.agent.rules

import android.content.pm.ActivityInfo
import android.content.pm.ComponentInfo
import android.content.pm.PackageInfo
import android.content.pm.PackageManager
import android.content.pm.ServiceInfo
import org.junit.Assert.assertEquals
import org.junit.Assert.assertFalse
import org.junit.Test
import org.junit.runner.RunWith
import org.robolectric.RobolectricTestRunner
import org.robolectric.RuntimeEnvironment
import java.io.File
import javax.xml.parsers.DocumentBuilderFactory
import org.w3c.dom.Element

/** What the app requests and allows others, as the platform reads it from the manifest: exactly this. */
@RunWith(RobolectricTestRunner::class)
class ManifestTest {
    private val app = RuntimeEnvironment.getApplication()
    private val info: PackageInfo = app.packageManager.getPackageInfo(app.packageName, FLAGS)

    @Test
    fun `it asks for these permissions and for no other`() {
        val asked = info.requestedPermissions!!.map { it.removePrefix("android.permission.") }
        assertEquals(PERMISSIONS.sorted(), asked.sorted())
        assertEquals(null, info.permissions)
    }

    @Test
    fun `each permission has its reason in the documentation`() {
        val documents = File("../docs").walk().filter { it.extension == "md" }.map { it.readText() }.toList()
        assertEquals(emptyList<String>(), PERMISSIONS.filter { name -> documents.none { name in it } })
    }

    @Test
    fun `others can start what is meant for them, and only with what the platform alone holds`() {
        val open = components().filter { it.exported }
        assertEquals(OPEN, open.associate { it.name.removePrefix(app.packageName) to permissionOf(it) })
    }

    @Test
    fun `all else is closed`() {
        val closed = components().filterNot { it.exported }
        assertEquals(CLOSED, closed.mapTo(sortedSetOf()) { it.name.removePrefix(app.packageName) })
        assertEquals(null, info.providers)
    }

    @Test
    fun `the service is for messages and has no time limit`() {
        val service = info.services!!.single { it.name.endsWith("GatewayService") }
        assertEquals(ServiceInfo.FOREGROUND_SERVICE_TYPE_REMOTE_MESSAGING, service.foregroundServiceType)
        val watchdog = info.services!!.single { it.name.endsWith("Watchdog") }
        assertEquals("android.permission.BIND_JOB_SERVICE", watchdog.permission)
    }

    @Test
    fun `nothing of it is copied to another place`() {
        val application = elements(MANIFEST, "application").single()
        assertEquals("false", application.android("allowBackup"))
        assertEquals("@xml/data_extraction_rules", application.android("dataExtractionRules"))
        assertEquals("", application.android("debuggable"))
        assertEquals("", application.android("usesCleartextTraffic"))
        val rules = elements(File("src/main/res/xml/data_extraction_rules.xml"), "data-extraction-rules").single()
        for (way in listOf("cloud-backup", "device-transfer")) {
            val excluded = (rules.getElementsByTagName(way).item(0) as Element).getElementsByTagName("exclude")
            val domains = (0 until excluded.length).map { (excluded.item(it) as Element).getAttribute("domain") }
            assertEquals(way, DOMAINS, domains.sorted())
        }
    }

    @Test
    fun `it runs from API 26 on and is made for 36`() {
        val sdks = elements(MANIFEST, "uses-sdk").single()
        assertEquals(listOf("26", "36"), listOf("minSdkVersion", "targetSdkVersion").map { sdks.android(it) })
    }

    @Test
    fun `what another app could send by itself is only looked at by the two screens that are open`() {
        val filtered = elements(MANIFEST, "activity").filter { it.getElementsByTagName("intent-filter").length > 0 }
        assertEquals(listOf(".screens.StatusActivity", ".screens.PairActivity"), filtered.map { it.android("name") })
        val closed = elements(MANIFEST, "receiver").filter { it.android("exported") == "false" }
        assertFalse(closed.any { it.android("permission").isNotEmpty() })
    }

    private fun components(): List<ComponentInfo> =
        info.activities!!.toList() + info.services!!.toList() + info.receivers!!.toList()

    private fun permissionOf(component: ComponentInfo): String? = when (component) {
        is ActivityInfo -> component.permission
        is ServiceInfo -> component.permission
        else -> null
    }?.removePrefix("android.permission.")

    private fun elements(file: File, name: String): List<Element> {
        val factory = DocumentBuilderFactory.newInstance().apply { isNamespaceAware = true }
        val found = factory.newDocumentBuilder().parse(file).getElementsByTagName(name)
        return (0 until found.length).map { found.item(it) as Element }
    }

    private fun Element.android(name: String): String = getAttributeNS(NAMES, name)

    private companion object {
        const val NAMES = "http://schemas.android.com/apk/res/android"
        const val FLAGS = PackageManager.GET_PERMISSIONS or PackageManager.GET_ACTIVITIES or
            PackageManager.GET_SERVICES or PackageManager.GET_RECEIVERS or PackageManager.GET_PROVIDERS or
            PackageManager.MATCH_DISABLED_COMPONENTS
        /** The platform checks each separately: one does not cover another. */
        val DOMAINS = listOf("root", "file", "database", "sharedpref").flatMap { listOf(it, "device_" + it) }
            .plus("external").sorted()
        val MANIFEST = File("src/main/AndroidManifest.xml")
        val PERMISSIONS = listOf(
            "SEND_SMS", "RECEIVE_SMS", "READ_SMS", "RECEIVE_MMS", "CALL_PHONE", "READ_CALL_LOG", "READ_PHONE_STATE",
            "READ_PHONE_NUMBERS", "POST_NOTIFICATIONS", "FOREGROUND_SERVICE", "FOREGROUND_SERVICE_REMOTE_MESSAGING",
            "RECEIVE_BOOT_COMPLETED", "INTERNET", "ACCESS_NETWORK_STATE", "WAKE_LOCK", "SCHEDULE_EXACT_ALARM",
            "REQUEST_IGNORE_BATTERY_OPTIMIZATIONS", "CAMERA",
        )

        /** Who may start each: everybody may start the two screens, only holders of platform permissions the rest. */
        val OPEN = mapOf(
            ".screens.StatusActivity" to null,
            ".screens.PairActivity" to null,
            ".sms.SmsReceiver" to "BROADCAST_SMS",
            ".sms.DataReceiver" to "BROADCAST_SMS",
            ".mms.MmsNoticeReceiver" to "BROADCAST_WAP_PUSH",
            ".calls.PhoneStateReceiver" to "MODIFY_PHONE_STATE",
        )
        val CLOSED = sortedSetOf(
            ".screens.AboutActivity", ".screens.KeepRunningActivity", ".screens.LicencesActivity",
            ".screens.LogActivity", ".screens.PermissionsActivity", ".screens.SettingsActivity", ".screens.TestMessageActivity",
            ".screens.SimsActivity", ".screens.ScanActivity", ".service.AlertReceiver",
            ".service.GatewayService", ".service.StartReceiver", ".service.WakeReceiver", ".service.Watchdog",
            ".sms.ResultReceiver",
        )
    }
}
