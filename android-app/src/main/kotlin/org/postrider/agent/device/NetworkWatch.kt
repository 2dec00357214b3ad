package org.postrider.agent.device

import android.net.ConnectivityManager
import android.net.ConnectivityManager.NetworkCallback
import android.net.Network
import android.net.NetworkCapabilities
import android.os.Handler

/** Reports another network, or none. A network that starts to reach the internet counts as another. */
class NetworkWatch(
    private val networks: ConnectivityManager,
    private val handler: Handler,
    private val onChanged: () -> Unit,
    private val onLost: () -> Unit,
) {
    private var current: Network? = null
    private var isValidated = false
    private var isWatching = false

    private val callback = object : NetworkCallback() {
        override fun onCapabilitiesChanged(network: Network, abilities: NetworkCapabilities) = see(network, abilities)

        override fun onLost(network: Network) = lose(network)
    }

    /** Begins with the network that the agent was started on. */
    @Synchronized
    fun start() {
        if (isWatching) return
        current = networks.activeNetwork
        isValidated = current?.let(networks::getNetworkCapabilities)?.let(::reachesTheWorld) ?: false
        networks.registerDefaultNetworkCallback(callback, handler)
        isWatching = true
    }

    @Synchronized
    fun stop() {
        if (!isWatching) return
        networks.unregisterNetworkCallback(callback)
        isWatching = false
    }

    @Synchronized
    private fun see(network: Network, abilities: NetworkCapabilities) {
        val isNew = network != current
        val isBetter = reachesTheWorld(abilities) && !isValidated
        current = network
        isValidated = reachesTheWorld(abilities)
        if (isWatching && (isNew || isBetter)) onChanged()
    }

    @Synchronized
    private fun lose(network: Network) {
        if (network != current) return
        current = null
        isValidated = false
        if (isWatching) onLost()
    }

    private companion object {
        fun reachesTheWorld(abilities: NetworkCapabilities) =
            abilities.hasCapability(NetworkCapabilities.NET_CAPABILITY_VALIDATED)
    }
}
