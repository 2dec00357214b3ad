package org.postrider.agent.device

import android.content.Context
import android.net.ConnectivityManager
import android.os.Handler
import android.telephony.SubscriptionManager
import android.telephony.TelephonyManager
import org.postrider.core.Condition
import org.postrider.core.RadioFact
import org.postrider.core.SimInfo

/** What [DeviceWatch] reports, on its handler's thread. */
interface DeviceEars {
    /** A SIM's service, the SIMs, or the phone's condition. */
    fun tell(fact: RadioFact)

    /** The phone is on another network. */
    fun onNetworkChanged()

    /** The phone no longer has a network. */
    fun onNetworkLost()

    /** Other SIMs are in the slots than before. */
    fun onSimsChanged()
}

/** Watches changes of the phone while the agent runs, and reports each once as a fact. */
class DeviceWatch(
    context: Context,
    private val sims: SimReader,
    private val conditions: ConditionReader,
    private val handler: Handler,
    private val ears: DeviceEars,
) {
    /** The SIMs as last reported. */
    @Volatile
    var simsNow: List<SimInfo> = emptyList()
        private set

    /** The condition as last reported. */
    @Volatile
    var conditionNow: Condition? = null
        private set

    private val battery = BatteryWatch(context, handler) { readCondition() }
    private val cards = context.getSystemService(SubscriptionManager::class.java)?.let {
        SimWatch(it, handler, ::readSims)
    }
    private val service = context.getSystemService(TelephonyManager::class.java)?.let {
        ServiceWatch(it, handler, ::tellService, ::readCondition)
    }
    private val network = context.getSystemService(ConnectivityManager::class.java)?.let {
        NetworkWatch(it, handler, ::changeNetwork, ::loseNetwork)
    }

    /** Sets what the agent was started with. */
    fun begin(simsTold: List<SimInfo>, conditionTold: Condition) {
        simsNow = simsTold
        conditionNow = conditionTold
    }

    /** Watches changes from now on. */
    fun start() {
        battery.start()
        cards?.start()
        network?.start()
        // A network that came while the agent was started is reported by nobody else.
        if (conditionNow?.network == null && conditions.isOnline()) changeNetwork()
        watchService()
    }

    fun stop() {
        battery.stop()
        cards?.stop()
        network?.stop()
        service?.stop()
    }

    /** The app may read more or less than before. */
    fun permissionsChanged() {
        cards?.stop()
        cards?.start()
        readSims()
        readCondition()
    }

    /** Reads the SIMs again, and reports them if they changed. */
    fun readSims() {
        val now = sims.sims()
        if (now != simsNow) {
            simsNow = now
            ears.tell(RadioFact.SimsChanged(now))
            ears.onSimsChanged()
        }
        watchService()
    }

    /** Reads the condition again, and reports it if it changed. */
    fun readCondition() {
        val now = conditions.read()
        if (now == conditionNow) return
        ears.tell(RadioFact.ConditionChanged(now))
        conditionNow = now
    }

    private fun watchService() {
        service?.watch(sims.cards().mapTo(HashSet()) { it.subscriptionId })
    }

    private fun tellService(subscriptionId: Int, isInService: Boolean) {
        sims.slotOf(subscriptionId)?.let { ears.tell(RadioFact.ServiceChanged(it, isInService)) }
    }

    private fun changeNetwork() {
        ears.onNetworkChanged()
        readCondition()
    }

    private fun loseNetwork() {
        ears.onNetworkLost()
        readCondition()
    }
}
