package org.postrider.agent.device

import android.content.Context
import android.net.ConnectivityManager
import android.net.NetworkCapabilities
import org.junit.Assert.assertEquals
import org.junit.Assert.assertFalse
import org.junit.Assert.assertNull
import org.junit.Assert.assertTrue
import org.junit.Test
import org.junit.runner.RunWith
import org.postrider.agent.Settings
import org.robolectric.RobolectricTestRunner
import org.robolectric.RuntimeEnvironment
import org.robolectric.Shadows.shadowOf
import org.robolectric.shadows.ShadowNetworkCapabilities
import java.io.File

@RunWith(RobolectricTestRunner::class)
class ConditionReaderTest {
    private val context: Context = RuntimeEnvironment.getApplication()
    private val networks = context.getSystemService(ConnectivityManager::class.java)!!
    private val reader = ConditionReader(context)

    private fun carry(vararg transports: Int) {
        val abilities = ShadowNetworkCapabilities.newInstance()
        transports.forEach { shadowOf(abilities).addTransportType(it) }
        shadowOf(networks).setNetworkCapabilities(networks.activeNetwork, abilities)
    }

    @Test
    fun `the network is named by what carries it`() {
        carry(NetworkCapabilities.TRANSPORT_WIFI, NetworkCapabilities.TRANSPORT_VPN)
        assertEquals("wifi", reader.read().network)
        carry(NetworkCapabilities.TRANSPORT_CELLULAR)
        assertEquals("mobile", reader.read().network)
        carry()
        assertEquals("other", reader.read().network)
        assertTrue(reader.isOnline())
    }

    @Test
    fun `a phone without a network says so`() {
        shadowOf(networks).setActiveNetworkInfo(null)
        assertNull(reader.read().network)
        assertFalse(reader.isOnline())
    }

    @Test
    fun `the device and the app are named`() {
        val condition = reader.read()
        val workspaces = Regex("^version = \"(.*)\"$", RegexOption.MULTILINE).find(File("../Cargo.toml").readText())
        assertEquals(workspaces!!.groupValues[1], condition.appVersion)
        assertEquals(android.os.Build.MODEL, condition.model)
        assertEquals(android.os.Build.VERSION.SDK_INT.toUInt(), condition.androidSdk)
    }

    @Test
    fun `nothing is forwarded before the owner was asked`() {
        assertEquals(false, reader.read().forwarding)
        Settings(context).isForwarding = true
        assertEquals(true, reader.read().forwarding)
    }
}
