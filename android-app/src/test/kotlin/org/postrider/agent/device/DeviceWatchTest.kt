package org.postrider.agent.device

import android.Manifest.permission.READ_PHONE_STATE
import android.app.Application
import android.content.Context
import android.content.Intent
import android.net.ConnectivityManager
import android.net.NetworkCapabilities
import android.os.BatteryManager
import android.os.Handler
import android.os.Looper
import android.telephony.NetworkRegistrationInfo
import android.telephony.ServiceState
import android.telephony.SubscriptionManager
import org.junit.Assert.assertEquals
import org.junit.Assert.assertFalse
import org.junit.Assert.assertTrue
import org.junit.Before
import org.junit.Test
import org.junit.runner.RunWith
import org.postrider.core.RadioFact
import org.robolectric.RobolectricTestRunner
import org.robolectric.RuntimeEnvironment
import org.robolectric.Shadows.shadowOf
import org.robolectric.annotation.Config
import org.robolectric.shadows.ShadowNetwork
import org.robolectric.shadows.ShadowNetworkCapabilities
import org.robolectric.shadows.ShadowSubscriptionManager.SubscriptionInfoBuilder

@RunWith(RobolectricTestRunner::class)
class DeviceWatchTest : DeviceEars {
    private val context: Context = RuntimeEnvironment.getApplication()
    private val subscriptions = shadowOf(context.getSystemService(SubscriptionManager::class.java))
    private val networks = shadowOf(context.getSystemService(ConnectivityManager::class.java))
    private val sims = SimReader(context)
    private val conditions = ConditionReader(context)
    private val watch = DeviceWatch(context, sims, conditions, Handler(Looper.getMainLooper()), this)
    private val told = ArrayList<RadioFact>()
    private var networksChanged = 0
    private var networksLost = 0
    private var simsChanged = 0

    override fun tell(fact: RadioFact) {
        told.add(fact)
    }

    override fun onNetworkChanged() {
        networksChanged++
    }

    override fun onNetworkLost() {
        networksLost++
    }

    override fun onSimsChanged() {
        simsChanged++
    }

    @Before
    fun setUp() {
        shadowOf(context as Application).grantPermissions(READ_PHONE_STATE)
        insert(3)
        charge(50, 0)
    }

    private fun insert(vararg ids: Int) {
        val infos = ids.mapIndexed { slot, id ->
            Phones.of(id)
            SubscriptionInfoBuilder.newBuilder().setId(id).setSimSlotIndex(slot).buildSubscriptionInfo()
        }
        subscriptions.setActiveSubscriptionInfos(*infos.toTypedArray())
    }

    @Suppress("DEPRECATION")
    private fun charge(percent: Int, plugged: Int) {
        val intent = Intent(Intent.ACTION_BATTERY_CHANGED).putExtra(BatteryManager.EXTRA_LEVEL, percent)
            .putExtra(BatteryManager.EXTRA_SCALE, 100).putExtra(BatteryManager.EXTRA_PLUGGED, plugged)
        context.sendStickyBroadcast(intent)
        idle()
    }

    private fun idle() = shadowOf(Looper.getMainLooper()).idle()

    private fun start() {
        watch.begin(sims.sims(), conditions.read())
        watch.start()
        idle()
        told.clear()
    }

    private fun serve(subscription: Int, state: Int) {
        shadowOf(Phones.of(subscription)).setServiceState(ServiceState().apply { this.state = state })
        idle()
    }

    @Test
    fun `what the agent was started with is not told again`() {
        watch.begin(sims.sims(), conditions.read())
        watch.start()
        idle()
        assertTrue(told.none { it is RadioFact.SimsChanged || it is RadioFact.ConditionChanged })
    }

    @Test
    fun `a SIM that is taken out, and another that comes, are told`() {
        start()
        insert()
        idle()
        assertEquals(listOf<RadioFact>(RadioFact.SimsChanged(emptyList())), told)
        insert(4, 5)
        idle()
        assertEquals(2, (told.last { it is RadioFact.SimsChanged } as RadioFact.SimsChanged).v1.size)
        assertEquals(2, simsChanged)
    }

    @Test
    fun `service that goes and comes is told of its SIM, each once`() {
        insert(3, 4)
        start()
        serve(4, ServiceState.STATE_POWER_OFF)
        serve(4, ServiceState.STATE_OUT_OF_SERVICE)
        serve(4, ServiceState.STATE_IN_SERVICE)
        assertEquals(
            listOf<RadioFact>(RadioFact.ServiceChanged(1u, false), RadioFact.ServiceChanged(1u, true)),
            told.filterIsInstance<RadioFact.ServiceChanged>(),
        )
    }

    @Test
    @Config(sdk = [30, 33, 35, 36])
    fun `texts can leave by a data network alone`() {
        val state = ServiceState().apply { this.state = ServiceState.STATE_OUT_OF_SERVICE }
        assertFalse(ServiceWatch.isInService(state))
        val data = NetworkRegistrationInfo.Builder().setDomain(NetworkRegistrationInfo.DOMAIN_PS)
            .setRegistrationState(NetworkRegistrationInfo.REGISTRATION_STATE_HOME).build()
        val add = ServiceState::class.java.getMethod("addNetworkRegistrationInfo", NetworkRegistrationInfo::class.java)
        add.invoke(state, data)
        assertTrue(ServiceWatch.isInService(state))
    }

    @Test
    fun `the battery is told when it changes`() {
        start()
        charge(50, 0)
        assertTrue(told.isEmpty())
        charge(49, BatteryManager.BATTERY_PLUGGED_USB)
        val condition = (told.single() as RadioFact.ConditionChanged).v1
        assertEquals(49.toUByte(), condition.battery)
        assertEquals(true, condition.charging)
    }

    @Test
    fun `another network is said, the same one again is not`() {
        start()
        val callback = networks.networkCallbacks.single()
        val wifi = ShadowNetwork.newInstance(41)
        callback.onCapabilitiesChanged(wifi, abilities(isValidated = false))
        callback.onCapabilitiesChanged(wifi, abilities(isValidated = false))
        assertEquals(1, networksChanged)
        callback.onCapabilitiesChanged(wifi, abilities(isValidated = true))
        assertEquals(2, networksChanged)
        callback.onLost(ShadowNetwork.newInstance(42))
        assertEquals(0, networksLost)
        callback.onLost(wifi)
        assertEquals(1, networksLost)
    }

    @Test
    fun `nothing is heard after the end`() {
        start()
        watch.stop()
        idle()
        assertTrue(networks.networkCallbacks.isEmpty())
        insert(4)
        charge(20, 0)
        serve(3, ServiceState.STATE_POWER_OFF)
        assertTrue(told.isEmpty())
    }

    private fun abilities(isValidated: Boolean): NetworkCapabilities {
        val abilities = ShadowNetworkCapabilities.newInstance()
        shadowOf(abilities).addTransportType(NetworkCapabilities.TRANSPORT_WIFI)
        if (isValidated) shadowOf(abilities).addCapability(NetworkCapabilities.NET_CAPABILITY_VALIDATED)
        return abilities
    }
}
